// A rate that changes with time: steps and straight ramps, one behind the other; behind the last one its final rate goes on.
//
// Slot k is due when the integral of the rate has reached k, so the timeline is a closed formula of k and nothing drifts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace rl::plugins {

struct Stage {
    double seconds = 0;       // above 0
    double from = 0, to = 0;  // requests per second at its ends, 0 or more
    double slots() const noexcept { return (from + to) / 2 * seconds; }
};

// "10:100,5:100..1000": seconds, then the rate or the two ends of a ramp. Throws std::invalid_argument with a sentence.
std::vector<Stage> parse_profile(std::string_view text);

// BORROWS the stages. Walks forward: amounts asked for must not decrease.
class ProfileCursor {
  public:
    explicit ProfileCursor(const std::vector<Stage>& stages) noexcept : stages_(&stages) {}

    // When the integral reaches `slots`, in nanoseconds; kNeverDue if it never does.
    uint64_t reached_ns(double slots) noexcept;

  private:
    const std::vector<Stage>* stages_;
    size_t stage_ = 0;
    double slots_before_ = 0, seconds_before_ = 0;
};

}  // namespace rl::plugins
