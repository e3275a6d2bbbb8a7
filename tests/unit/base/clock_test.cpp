// The run's clock against the system's, read between two readings of that one, so that no pause of this process can be mistaken for an
// error of the clock.
#include "core/base/clock.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string_view>

namespace rl {
namespace {

constexpr uint64_t kErrorMost = 20'000;

// How far the clock was outside of two readings around it.
template <class F>
uint64_t error_of(F&& read) {
    const uint64_t before = monotonic_ns();
    const uint64_t now = read();
    const uint64_t after = monotonic_ns();
    return now < before ? before - now : now > after ? now - after : 0;
}

void wait_ns(uint64_t ns) {
    for (const uint64_t until = monotonic_ns() + ns; monotonic_ns() < until;) {
    }
}

TEST(Clock, StaysBesideTheSystemsClock) {
    TscClock clock;
    uint64_t worst = 0;
    for (int i = 0; i < 200; ++i) {
        worst = std::max(worst, error_of([&] { return clock.now(); }));
        wait_ns(200'000);
        if (i % 50 == 49) clock.follow();
    }
    EXPECT_LE(worst, kErrorMost);
}

TEST(Clock, NeverRunsBackwardsByItself) {
    const TscClock clock;
    for (uint64_t i = 0, last = clock.now(); i < 1'000'000; ++i) {
        const uint64_t now = clock.now();
        ASSERT_GE(now, last);
        last = now;
    }
}

TEST(Clock, FollowingTakesBackNoMoreThanTheErrorThatHadGathered) {
    TscClock clock;
    for (int i = 0; i < 300; ++i) {
        wait_ns(100'000);
        const uint64_t before = clock.now();
        clock.follow();
        ASSERT_GE(clock.now() + kErrorMost, before);
        ASSERT_LE(error_of([&] { return clock.now(); }), kErrorMost);
    }
}

TEST(Clock, SaysWhichItIs) {
    EXPECT_EQ(std::string_view(TscClock::name_of(true)), "tsc");
    const std::string_view system = TscClock::name_of(false);
    EXPECT_TRUE(system == "CLOCK_MONOTONIC" || system == "QueryPerformanceCounter") << system;
}

TEST(Clock, StepsByWhatItSays) {
    const uint64_t step = clock_resolution_ns();
    EXPECT_GT(step, 0u);
    EXPECT_LE(step, 1'000'000u);
    uint64_t least = UINT64_MAX;
    for (uint64_t i = 0, last = monotonic_ns(); i < 100'000; ++i) {
        const uint64_t now = monotonic_ns();
        if (now != last) least = std::min(least, now - last);
        last = now;
    }
    EXPECT_GE(least + 1, step) << "rounded down at both ends";
}

TEST(Clock, CpuTimeOfAThreadIsNotMoreThanTheTimeThatPassed) {
    constexpr uint64_t kTick = 16'000'000;  // Windows counts it in ticks of its timer
    const uint64_t wall = monotonic_ns(), cpu = thread_cpu_ns();
    while (thread_cpu_ns() == cpu) {
    }
    const uint64_t used = thread_cpu_ns() - cpu, passed = monotonic_ns() - wall;
    EXPECT_LE(used, passed + kTick);
}

}  // namespace
}  // namespace rl
