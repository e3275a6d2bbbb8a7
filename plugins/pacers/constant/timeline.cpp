#include "pacers/constant/timeline.hpp"

#include <cmath>
#include <limits>

namespace rl::plugins {
namespace {

constexpr uint64_t kNever = std::numeric_limits<int64_t>::max();
constexpr uint64_t kSecondNs = 1'000'000'000;

uint64_t bounded(Wide value) noexcept { return value < kNever ? static_cast<uint64_t>(value) : kNever; }

}  // namespace

// The convergents of the continued fraction of `rate`, until one is the same double. The last one is rate itself, so the walk ends;
// the bound on the terms only keeps the integers below within their width.
Fraction simple_fraction(double rate) {
    constexpr double kTermMax = 9e15;  // below 2^53: whole numbers are exact in a double
    double slots = 1, seconds = 0, slots_before = 0, seconds_before = 1;
    long double rest = rate;
    for (;;) {
        const auto whole = static_cast<double>(std::floor(rest));
        const double slots_next = whole * slots + slots_before, seconds_next = whole * seconds + seconds_before;
        if (slots_next > kTermMax || seconds_next > kTermMax) break;
        slots_before = slots;
        seconds_before = seconds;
        slots = slots_next;
        seconds = seconds_next;
        const long double fraction = rest - static_cast<long double>(whole);
        if (slots > 0 && slots / seconds == rate) break;
        if (fraction == 0) break;
        rest = 1 / fraction;
    }
    return {static_cast<uint64_t>(slots), static_cast<uint64_t>(seconds)};
}

uint64_t Timeline::slots_before(uint64_t end_ns) const noexcept {
    const Wide scale = Wide{rate_.seconds} * kSecondNs;
    return static_cast<uint64_t>((Wide{end_ns} * rate_.slots + scale - 1) / scale);
}

Timeline::Walk::Walk(const Timeline& timeline, uint64_t first, uint64_t stride) noexcept : slots_(timeline.rate_.slots) {
    const Wide scale = Wide{timeline.rate_.seconds} * kSecondNs;
    due_ns_ = bounded(scale * first / slots_);
    rest_ = static_cast<uint64_t>(scale * first % slots_);
    step_ns_ = bounded(scale * stride / slots_);
    step_rest_ = static_cast<uint64_t>(scale * stride % slots_);
}

void Timeline::Walk::advance() noexcept {
    if (due_ns_ >= kNever - step_ns_) {
        due_ns_ = kNever;
        return;
    }
    due_ns_ += step_ns_;
    rest_ += step_rest_;
    if (rest_ < slots_) return;
    rest_ -= slots_;
    ++due_ns_;
}

}  // namespace rl::plugins
