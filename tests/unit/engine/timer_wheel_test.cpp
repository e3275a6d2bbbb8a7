// The timer wheel against a list that keeps every deadline: never early unless past the horizon, at most one tick late, never lost.
#include "core/engine/timer_wheel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/base/rng.hpp"

namespace rl::engine {
namespace {

constexpr uint64_t kTick = 10;
constexpr uint64_t kTurn = kTick * TimerWheel::kTicks;  // once round the wheel

// The wheel, and beside it what was asked of it.
class Watched {
  public:
    explicit Watched(uint32_t timers, uint64_t start) : start_(start), looked_(start) { wheel.open(arena_, timers, kTick, start); }

    void arm(uint32_t timer, uint64_t deadline) {
        wheel.arm(timer, deadline);
        // Past the horizon a timer may come early, but only after all but a turn of the wheel.
        const uint64_t earliest = std::min(deadline, whole_ticks(looked_) + kTurn - kTick);
        asked_.emplace(timer, Asked{deadline, earliest, looked_});
    }
    void disarm(uint32_t timer) {
        wheel.disarm(timer);
        asked_.erase(timer);
    }
    // The timers that fired, in order.
    std::vector<uint32_t> expire(uint64_t now) {
        std::vector<uint32_t> fired;
        const uint64_t promised = wheel.next_ns();
        wheel.expire(now, [&](uint32_t timer) {
            fired.push_back(timer);
            const auto found = asked_.find(timer);
            ASSERT_NE(found, asked_.end()) << "timer " << timer << " was not armed";
            EXPECT_GE(now, found->second.earliest) << "early";
            EXPECT_FALSE(wheel.armed(timer)) << "a timer fires disarmed, so that its owner can arm it again";
            asked_.erase(found);
        });
        if (!fired.empty()) {
            EXPECT_LE(promised, now) << "next_ns() was later than the timer that fired";
        }
        looked_ = std::max(looked_, now);
        for (const auto& [timer, asked] : asked_) {
            EXPECT_GT(std::max(asked.deadline, asked.when) + kTick, now) << "timer " << timer << " is more than a tick late";
        }
        return fired;
    }
    void expect_books_agree(uint32_t timers) const {
        for (uint32_t timer = 0; timer < timers; ++timer) EXPECT_EQ(wheel.armed(timer), asked_.contains(timer)) << timer;
        EXPECT_EQ(wheel.next_ns() == UINT64_MAX, asked_.empty());
        for (const auto& [timer, asked] : asked_) {
            EXPECT_LE(wheel.next_ns(), std::max(asked.deadline, asked.when) + kTick) << "next_ns() is too late for timer " << timer;
        }
    }
    bool armed(uint32_t timer) const { return asked_.contains(timer); }
    uint64_t looked() const { return looked_; }

    TimerWheel wheel;

  private:
    struct Asked {
        uint64_t deadline, earliest, when;
    };
    uint64_t whole_ticks(uint64_t now) const { return start_ + (now - start_) / kTick * kTick; }

    Arena arena_;
    uint64_t start_, looked_;
    std::map<uint32_t, Asked> asked_;
};

using Fired = std::vector<uint32_t>;

TEST(TimerWheel, NothingArmedNothingDue) {
    Watched w(4, 1000);
    EXPECT_EQ(w.wheel.next_ns(), UINT64_MAX);
    EXPECT_EQ(w.expire(1'000'000), Fired{});
    EXPECT_EQ(w.expire(5), Fired{}) << "a clock that stepped back";
}

TEST(TimerWheel, FiresAtItsTickAndNotBefore) {
    for (uint64_t deadline = 1001; deadline < 1045; ++deadline) {
        Watched w(1, 1000);
        w.arm(0, deadline);
        EXPECT_EQ(w.expire(deadline - 1), Fired{}) << deadline;
        EXPECT_EQ(w.expire(deadline + kTick - 1), Fired{0}) << deadline;
        EXPECT_EQ(w.expire(deadline + 2 * kTurn), Fired{}) << "only once";
    }
}

TEST(TimerWheel, ADeadlineThatHasPassedFiresWithTheNextTick) {
    Watched w(2, 1000);
    w.expire(5000);
    w.arm(0, 1);
    w.arm(1, 5000);
    EXPECT_EQ(w.expire(5000), Fired{});
    EXPECT_EQ(w.expire(5000 + kTick).size(), 2u);
}

TEST(TimerWheel, DisarmedDoesNotFire) {
    Watched w(3, 0);
    for (uint32_t timer = 0; timer < 3; ++timer) w.arm(timer, 55);
    w.disarm(1);
    w.wheel.disarm(1);  // twice is harmless
    Fired fired = w.expire(100);
    std::sort(fired.begin(), fired.end());
    EXPECT_EQ(fired, (Fired{0, 2}));
    w.arm(1, 200);
    EXPECT_EQ(w.expire(300), Fired{1});
}

TEST(TimerWheel, PastTheHorizonItComesEarlyAndCanBeArmedAgain) {
    Watched w(1, 0);
    const uint64_t deadline = 10 * kTurn;
    w.arm(0, deadline);
    uint64_t now = 0;
    int times = 0;
    while (now < deadline) {
        now = w.wheel.next_ns();
        ASSERT_NE(now, UINT64_MAX);
        ASSERT_EQ(w.expire(now), Fired{0});
        ++times;
        if (now < deadline) w.arm(0, deadline);
    }
    EXPECT_LT(now, deadline + kTick);
    EXPECT_LE(times, 12) << "once a turn of the wheel, not more often";
}

TEST(TimerWheel, AJumpOverTheWholeWheelFiresEachOnce) {
    for (const uint64_t jump : {kTurn - kTick, kTurn, kTurn + kTick, 3 * kTurn + 7, 100 * kTurn}) {
        Watched w(50, 123);
        for (uint32_t timer = 0; timer < 50; ++timer) w.arm(timer, 123 + kTick + timer * (kTurn / 51));
        Fired fired = w.expire(123 + jump + 2 * kTick);
        std::sort(fired.begin(), fired.end());
        ASSERT_EQ(fired.size(), 50u) << jump;
        for (uint32_t timer = 0; timer < 50; ++timer) EXPECT_EQ(fired[timer], timer);
        EXPECT_EQ(w.wheel.next_ns(), UINT64_MAX);
    }
}

TEST(TimerWheel, ArmedAgainFromInsideItsOwnCall) {
    for (const uint64_t jump : {uint64_t{55}, kTurn / 2, 5 * kTurn}) {
        Arena arena;
        TimerWheel wheel;
        wheel.open(arena, 2, kTick, 0);
        wheel.arm(0, 50);
        wheel.arm(1, 50);
        const uint64_t later = jump + kTurn / 2;
        uint32_t fired = 0;
        wheel.expire(jump, [&](uint32_t timer) {
            if (++fired < 100) wheel.arm(timer, later);
        });
        EXPECT_EQ(fired, 2u) << "armed for later, fired at once";
        wheel.expire(later + kTick, [&](uint32_t) { ++fired; });
        EXPECT_EQ(fired, 4u);
    }
}

TEST(TimerWheel, NextIsTheTickOfTheFirst) {
    for (uint64_t deadline = 1; deadline < kTurn - kTick; deadline += 37) {
        Watched w(2, 0);
        w.arm(0, deadline);
        w.arm(1, deadline + kTick);
        const uint64_t next = w.wheel.next_ns();
        EXPECT_GE(next, deadline);
        EXPECT_LT(next, deadline + kTick);
        EXPECT_EQ(w.expire(next - 1), Fired{});
        EXPECT_EQ(w.expire(next), Fired{0});
    }
}

// Random arms, disarms and steps of every length, small ones and jumps over the whole wheel.
TEST(TimerWheel, AgreesWithAListOfDeadlines) {
    constexpr uint32_t kTimers = 7;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Rng rng;
        rng.seed(seed);
        const uint64_t start = rng.between(0, 1'000'000);
        Watched w(kTimers, start);
        for (int step = 0; step < 1500 && !::testing::Test::HasFailure(); ++step) {
            const uint32_t timer = static_cast<uint32_t>(rng.between(0, kTimers - 1));
            switch (rng.between(0, 3)) {
                case 0:
                case 1:
                    if (!w.armed(timer)) {
                        const uint64_t far = rng.between(0, 9) == 0 ? 3 * kTurn : rng.between(0, 1) == 0 ? kTurn / 3 : 3 * kTick;
                        w.arm(timer, rng.between(0, 9) == 0 ? start : w.looked() + rng.between(0, far));
                    }
                    break;
                case 2:
                    w.disarm(timer);
                    break;
                default: {
                    const uint64_t far = rng.between(0, 19) == 0 ? 4 * kTurn : rng.between(0, 2) == 0 ? kTurn / 4 : 2 * kTick;
                    w.expire(w.looked() + rng.between(0, far));
                }
            }
            w.expect_books_agree(kTimers);
        }
        // Everything that is still armed comes, if one only waits.
        for (int turn = 0; turn < 5; ++turn) w.expire(w.looked() + kTurn);
        for (uint32_t timer = 0; timer < kTimers; ++timer) EXPECT_FALSE(w.wheel.armed(timer));
    }
}

}  // namespace
}  // namespace rl::engine
