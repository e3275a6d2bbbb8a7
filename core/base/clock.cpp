#include "core/base/clock.hpp"

namespace rl {
namespace {

#if defined(__x86_64__)
// One pair of readings; the best of a few tries, so that an interrupt between the two does not spoil it.
void read_both(uint64_t& ticks, uint64_t& ns) noexcept {
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < 5; ++i) {
        const uint64_t before = __rdtsc();
        const uint64_t t = monotonic_ns();
        const uint64_t after = __rdtsc();
        if (after - before < best) {
            best = after - before;
            ticks = before + (after - before) / 2;
            ns = t;
        }
    }
}
#endif

}  // namespace

TscClock::TscClock() noexcept {
#if defined(__x86_64__)
    if (!kernel_trusts_counter()) return;
    read_both(tick_first_, ns_first_);
    tick_base_ = tick_first_;
    ns_base_ = ns_first_;
    while (monotonic_ns() - ns_first_ < 2'000'000) {
    }
    anchor();
#endif
}

void TscClock::follow() noexcept {
    if (scale_ != 0) anchor();
}

void TscClock::anchor() noexcept {
#if defined(__x86_64__)
    uint64_t ticks = 0, ns = 0;
    read_both(ticks, ns);
    if (ticks <= tick_first_ || ns <= ns_first_) return;
    __extension__ typedef unsigned __int128 Wide;
    scale_ = static_cast<uint64_t>((static_cast<Wide>(ns - ns_first_) << 32) / (ticks - tick_first_));
    tick_base_ = ticks;
    ns_base_ = ns;
#endif
}

}  // namespace rl
