// The clock of a real backend: the time stamp counter where it may be trusted, led back to CLOCK_MONOTONIC from time to time.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/base/clock.hpp"

namespace rl::engine {

class FollowingClock {
  public:
    uint64_t now() const noexcept { return clock_.now(); }

    // Once a turn of the worker. The base line grows, so the steps may too.
    uint64_t follow_and_now() noexcept {
        const uint64_t now = clock_.now();
        if (now < next_) [[likely]]
            return now;
        clock_.follow();
        next_ = now + step_;
        step_ = std::min<uint64_t>(step_ * 2, 1'000'000'000);
        return clock_.now();
    }

  private:
    TscClock clock_;
    uint64_t next_ = 0;
    uint64_t step_ = 10'000'000;
};

}  // namespace rl::engine
