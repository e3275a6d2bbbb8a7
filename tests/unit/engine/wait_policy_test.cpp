// How a worker waits: what is asked of the backend by mode, and when spinning is given up and tried again.
#include "core/engine/wait_policy.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace rl::engine {
namespace {

constexpr uint64_t kNow = 5'000'000'000, kDeadline = kNow + 50'000'000;

WaitPolicy policy(Wait mode, bool may_spin = true) {
    WaitPolicy p;
    p.open(mode, may_spin);
    return p;
}

void expect_plain_sleep(const WaitSpec& spec) {
    EXPECT_EQ(spec.spin_ns, 0u);
    EXPECT_EQ(spec.min_events, 1u);
    EXPECT_EQ(spec.deadline_ns, kDeadline);
}

TEST(WaitPolicy, SleepNeverSpins) {
    WaitPolicy p = policy(Wait::sleep);
    for (uint32_t in_flight = 0; in_flight < 200; ++in_flight) {
        expect_plain_sleep(p.next(in_flight, kNow, kDeadline, false));
        expect_plain_sleep(p.next(in_flight, kNow, kDeadline, true));
    }
}

TEST(WaitPolicy, SpinNeverSleeps) {
    WaitPolicy p = policy(Wait::spin);
    for (int i = 0; i < 200; ++i) {
        const WaitSpec spec = p.next(1, kNow, kDeadline, false);
        EXPECT_EQ(spec.spin_ns, UINT64_MAX);
        EXPECT_EQ(spec.deadline_ns, kDeadline);
        p.learn(spec, {.events = 0, .slept = true});
    }
}

TEST(WaitPolicy, ABatchIsNeverMoreThanIsInFlight) {
    WaitPolicy p = policy(Wait::batch);
    bool waited_for_several = false;
    for (uint32_t in_flight = 0; in_flight < 5000; ++in_flight) {
        const WaitSpec spec = p.next(in_flight, kNow, kDeadline, false);
        EXPECT_GE(spec.min_events, 1u);
        EXPECT_EQ(spec.spin_ns, 0u);
        EXPECT_EQ(spec.deadline_ns, kDeadline);
        if (spec.min_events == 1) continue;
        waited_for_several = true;
        EXPECT_LE(spec.min_events, in_flight / 2) << "waiting for the last answers leaves the target idle";
        EXPECT_GT(spec.batch_window_ns, 0u) << "answers that do not come must not hold up those that did";
        EXPECT_LE(spec.batch_window_ns, 1'000'000u);
    }
    EXPECT_TRUE(waited_for_several);
    EXPECT_EQ(p.next(1, kNow, kDeadline, false).min_events, 1u);
}

TEST(WaitPolicy, AutomaticSpinsWhileAnswersComeInTime) {
    WaitPolicy p = policy(Wait::automatic);
    for (int i = 0; i < 1000; ++i) {
        const WaitSpec spec = p.next(1, kNow, kDeadline, false);
        ASSERT_GT(spec.spin_ns, 0u);
        ASSERT_LT(spec.spin_ns, 10'000'000u) << "a little";
        ASSERT_EQ(spec.deadline_ns, kDeadline);
        p.learn(spec, {.events = 1, .slept = false});
    }
}

// Turns until the policy asks for a spin, each of which ends in sleep.
int turns_to_spin(WaitPolicy& p) {
    for (int i = 0; i < 1000; ++i) {
        const WaitSpec spec = p.next(1, kNow, kDeadline, false);
        p.learn(spec, {.events = 1, .slept = true});
        if (spec.spin_ns != 0) return i;
    }
    return -1;
}

TEST(WaitPolicy, AutomaticStopsWhenSpinningDoesNotPayAndTriesAgain) {
    WaitPolicy p = policy(Wait::automatic);
    int spins_in_a_row = 0;
    while (turns_to_spin(p) == 0) ASSERT_LT(++spins_in_a_row, 100) << "it never stopped";
    const int pause = turns_to_spin(p);
    EXPECT_GT(pause, 10) << "tried again all the time";
    EXPECT_NE(pause, -1) << "never tried again";
    // Answers come in time again: it is back to spinning within a few tries.
    int turns = 0;
    for (int in_a_row = 0; in_a_row < 20; ++turns) {
        ASSERT_LT(turns, 2000) << "it never came back";
        const WaitSpec spec = p.next(1, kNow, kDeadline, false);
        in_a_row = spec.spin_ns != 0 ? in_a_row + 1 : 0;
        p.learn(spec, {.events = 1, .slept = false});
    }
}

TEST(WaitPolicy, ASleepThatWasNotASpinTeachesNothing) {
    WaitPolicy p = policy(Wait::automatic);
    const WaitSpec plain{.deadline_ns = kDeadline};
    for (int i = 0; i < 1000; ++i) p.learn(plain, {.events = 1, .slept = true});
    EXPECT_GT(p.next(1, kNow, kDeadline, false).spin_ns, 0u);
}

TEST(WaitPolicy, AutomaticSleepsWhenNothingIsInFlight) {
    WaitPolicy p = policy(Wait::automatic);
    for (int i = 0; i < 200; ++i) expect_plain_sleep(p.next(0, kNow, kDeadline, false));
}

TEST(WaitPolicy, WhoMayNotSpinSleeps) {
    WaitPolicy p = policy(Wait::automatic, false);
    for (int i = 0; i < 200; ++i) {
        expect_plain_sleep(p.next(5, kNow, kDeadline, false));
        expect_plain_sleep(p.next(5, kNow, kDeadline, true));
    }
}

TEST(WaitPolicy, ADueTimeIsMetAwake) {
    WaitPolicy p = policy(Wait::automatic);
    const WaitSpec far = p.next(0, kNow, kDeadline, true);
    EXPECT_LT(far.deadline_ns, kDeadline) << "sleeps until shortly before";
    EXPECT_GT(far.deadline_ns, kNow);
    EXPECT_EQ(far.spin_ns, 0u);
    const WaitSpec near = p.next(0, far.deadline_ns, kDeadline, true);
    EXPECT_EQ(near.deadline_ns, kDeadline);
    EXPECT_EQ(near.spin_ns, UINT64_MAX) << "and is awake when it comes";
    const WaitSpec late = p.next(0, kDeadline + 1, kDeadline, true);
    EXPECT_EQ(late.deadline_ns, kDeadline);
}

}  // namespace
}  // namespace rl::engine
