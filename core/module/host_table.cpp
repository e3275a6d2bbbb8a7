#include "core/module/host_table.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "core/base/clock.hpp"
#include "core/base/memory.hpp"

namespace rl::module {
namespace {

static_assert(sizeof(size_t) == 8, "sizes and bounds are written for 64 bits; see core/docs/portability.md");

const stats::Histogram& histogram(const rl_histogram* opaque) noexcept { return *reinterpret_cast<const stats::Histogram*>(opaque); }

// The worker's number is not needed here: pages are given by the kernel to the node of the thread that first touches them, and that
// is the calling worker, which clears them.
void* alloc(void* /*self*/, size_t bytes, size_t align, uint32_t /*worker*/) noexcept {
    constexpr size_t kAlignMin = 64;
    constexpr size_t kBytesMax = size_t{1} << 40;  // who asks for a terabyte has miscounted
    if (bytes >= kBytesMax || (align != 0 && !std::has_single_bit(align))) return nullptr;
    const size_t alignment = std::max(align, kAlignMin);
    const size_t size = std::max<size_t>(bytes, 1);
    void* const memory = allocate_aligned(size, alignment);
    return memory == nullptr ? nullptr : std::memset(memory, 0, size);
}
void release(void* /*self*/, void* memory) noexcept { free_aligned(memory); }

uint64_t hist_count(const rl_histogram* h) noexcept { return histogram(h).count(); }
uint64_t hist_min(const rl_histogram* h) noexcept { return histogram(h).min(); }
uint64_t hist_max(const rl_histogram* h) noexcept { return histogram(h).max(); }
double hist_mean(const rl_histogram* h) noexcept { return histogram(h).mean(); }
uint64_t hist_value_at(const rl_histogram* h, double percentile) noexcept {
    const double bounded = percentile >= 0 ? std::min(percentile, 100.0) : 0.0;  // a NaN becomes 0
    return histogram(h).value_at(bounded);
}
// A reporter's function is foreign code and may not throw; one that does ends the process here rather than in the middle of a walk.
void hist_each(const rl_histogram* h, void (*each)(void*, uint64_t, uint64_t, uint64_t), void* context) noexcept {
    histogram(h).each([&](uint64_t low, uint64_t high, uint64_t count) { each(context, low, high, count); });
}

}  // namespace

HostTable::HostTable(std::string who, LogLevel threshold, HostClock clock)
    : who_(std::move(who)), threshold_(threshold), clock_(clock), table_{} {
    table_.size = sizeof table_;
    table_.abi_minor = RL_ABI_MINOR;
    table_.self = this;
    table_.log = &HostTable::log;
    table_.alloc = &alloc;
    table_.free = &release;
    table_.now_ns = &HostTable::now_ns;
    table_.hist_count = &hist_count;
    table_.hist_min = &hist_min;
    table_.hist_max = &hist_max;
    table_.hist_mean = &hist_mean;
    table_.hist_value_at = &hist_value_at;
    table_.hist_each = &hist_each;
}

void HostTable::log(void* self, uint32_t level, const char* message) noexcept {
    const auto& host = *static_cast<const HostTable*>(self);
    const auto known = static_cast<LogLevel>(std::min<uint32_t>(level, RL_LOG_DEBUG));
    if (known > host.threshold_ || message == nullptr) return;
    log_line(known, host.who_, message);
}

uint64_t HostTable::now_ns(void* self) noexcept {
    const HostClock& clock = static_cast<const HostTable*>(self)->clock_;
    if (clock.now_ns != nullptr) return clock.now_ns(clock.self);
    return monotonic_ns();
}

}  // namespace rl::module
