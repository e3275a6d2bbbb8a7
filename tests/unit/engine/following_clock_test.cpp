// A worker's clock goes with the system's without being told to.
#include "core/engine/following_clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace rl::engine {
namespace {

TEST(FollowingClock, StaysBesideTheSystemsClockTurnByTurn) {
    constexpr uint64_t kErrorMost = 20'000;
    FollowingClock clock;
    uint64_t last = clock.now();
    for (int turn = 0; turn < 400; ++turn) {
        // Between two readings of the other clock: a pause of this process is no error.
        const uint64_t before = monotonic_ns();
        const uint64_t now = clock.follow_and_now();
        const uint64_t after = monotonic_ns();
        ASSERT_GE(now + kErrorMost, before);
        ASSERT_LE(now, after + kErrorMost);
        ASSERT_GE(now + kErrorMost, last);
        last = now;
        while (monotonic_ns() - after < 100'000) {
        }
    }
}

}  // namespace
}  // namespace rl::engine
