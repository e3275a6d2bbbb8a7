#include "bench/backend/contender.hpp"

#include "core/base/clock.hpp"

namespace rl::bench {
namespace {

constexpr uint64_t kPatience = 5'000'000'000;

}  // namespace

// One poll. After spin_ns without anything, or at once where several events are waited for, it sleeps.
bool Contender::turn() {
    const uint64_t begin = monotonic_ns(), sends = volley_.sends();
    const bool spun_out = idle_since_ != 0 && begin - idle_since_ >= waiting_.spin_ns;
    const bool sleeps = waiting_.events > 1 || spun_out;
    uint32_t events = 0;
    const bool sent_before = sends != sends_seen_;
    if (!poll(sleeps ? Wait::sleep : Wait::none, events)) return false;
    sends_seen_ = sends;
    if (events != 0 || sent_before || sleeps) {
        idle_since_ = 0;
        return true;
    }
    idle_ns_ += volley_.now - begin;
    if (idle_since_ == 0) idle_since_ = begin;
    return true;
}

template <class Done>
bool Contender::turn_until(Done done) {
    const uint64_t limit = monotonic_ns() + kPatience;
    do {
        if (!turn()) return problem_.empty() ? fail("a connection broke") : false;
        if (volley_.now > limit) return fail("messages did not come back");
    } while (!done());
    return true;
}

bool Contender::run_slice(uint64_t warm_ns, uint64_t slice_ns) {
    volley_.now = monotonic_ns();
    volley_.sending = true;
    for (uint32_t slot = 0; slot < shape_.connections; ++slot) send(slot, shape_.depth);
    const uint64_t begin = volley_.now + warm_ns;
    if (!turn_until([&] { return volley_.now >= begin; })) return false;

    const uint64_t messages = volley_.messages, calls = syscalls(), idle = idle_ns_, wall = monotonic_ns(), cpu = thread_cpu_ns();
    volley_.measuring = true;
    const uint64_t end = wall + slice_ns;
    if (!turn_until([&] { return volley_.now >= end; })) return false;
    volley_.measuring = false;
    slices_.push_back({.messages = volley_.messages - messages,
                       .wall_ns = monotonic_ns() - wall,
                       .cpu_ns = thread_cpu_ns() - cpu,
                       .idle_ns = idle_ns_ - idle,
                       .syscalls = syscalls() - calls});
    volley_.sending = false;
    return turn_until([&] { return volley_.under_way() == 0; });
}

}  // namespace rl::bench
