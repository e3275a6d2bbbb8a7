// Pacers stages and poisson through their ABI: the closed formula, exact sums over workers, one timeline however many share it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tests/unit/plugins/opened_plugin.hpp"

namespace rl::testing {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;

class TimelinePacer : public ::testing::Test {
  protected:
    void open_stages(const std::string& profile, const char* arrival = "constant", uint64_t seed = 1) {
        engine::RunSpec run;
        run.seed = seed;
        plugin_.emplace(module::Kind::pacer, "stages", run, host_,
                        std::vector<engine::OptionValue>{{"stages", "profile", profile}, {"stages", "arrival", arrival}});
    }
    void open_poisson(double rate, uint64_t seed = 1) {
        engine::RunSpec run;
        run.rate = rate;
        run.seed = seed;
        plugin_.emplace(module::Kind::pacer, "poisson", run, host_);
    }

    // All slots of one worker up to `until`, and what scheduled() then says of `end`.
    std::vector<uint64_t> slots(uint32_t index, uint32_t count, uint64_t until, uint64_t end = 0) {
        void* const self = plugin_->open_worker(index, count);
        std::vector<uint64_t> all;
        std::array<uint64_t, 5> due{};
        for (int32_t n = -1; n != 0;) {
            n = plugin_->ops().grant(self, until, due.data(), due.size(), &next_);
            if (n < 0) {
                ADD_FAILURE() << "grant() returned " << n;
                break;
            }
            all.insert(all.end(), due.begin(), due.begin() + n);
        }
        scheduled_ = plugin_->ops().scheduled(self, end);
        plugin_->ops().worker_close(self);
        return all;
    }
    std::vector<uint64_t> all_slots(uint32_t count, uint64_t until) {
        std::vector<uint64_t> all;
        for (uint32_t index = 0; index < count; ++index) {
            const auto mine = slots(index, count, until);
            all.insert(all.end(), mine.begin(), mine.end());
        }
        std::sort(all.begin(), all.end());
        return all;
    }

    FakeHost host_;
    std::optional<OpenedPlugin<rl_pacer_ops>> plugin_;
    uint64_t next_ = 0, scheduled_ = 0;
};

TEST_F(TimelinePacer, StepsFollowOneBehindTheOther) {
    open_stages("1:2,1:4");
    EXPECT_EQ(slots(0, 1, 2 * kSecondNs),
              (std::vector<uint64_t>{0, 500'000'000, 1'000'000'000, 1'250'000'000, 1'500'000'000, 1'750'000'000, 2'000'000'000}));
    EXPECT_EQ(next_, 2'250'000'000u);  // the last rate goes on
}

// Half a t^2 slots by t seconds at one more request per second each second: slot k is due at sqrt(2 k).
TEST_F(TimelinePacer, ARampIsTheRootOfItsIntegral) {
    open_stages("1000:0..1000");
    const auto all = slots(0, 1, 1000 * kSecondNs);
    ASSERT_EQ(all.size(), 500'001u);
    for (size_t k = 0; k < all.size(); k += 997) {
        EXPECT_NEAR(static_cast<double>(all[k]), std::sqrt(2.0 * static_cast<double>(k)) * 1e9, 2.0) << k;
    }
}

TEST_F(TimelinePacer, ARampDownIsTheMirrorOfARampUp) {
    open_stages("10:100..0,1:0");
    const auto all = slots(0, 1, 20 * kSecondNs);
    ASSERT_EQ(all.size(), 500u);  // and nothing behind it: the final rate is zero
    EXPECT_EQ(next_, static_cast<uint64_t>(INT64_MAX));
    EXPECT_NEAR(static_cast<double>(all[375]), 5e9, 2.0);  // three quarters of the slots lie in the first half
}

TEST_F(TimelinePacer, APauseHoldsNoSlot) {
    open_stages("1:10,5:0,1:10");
    const auto all = slots(0, 1, 7 * kSecondNs - 1);
    ASSERT_EQ(all.size(), 20u);
    EXPECT_EQ(all[9], 900'000'000u);
    EXPECT_NEAR(static_cast<double>(all[10]), 6e9, 2.0);
}

TEST_F(TimelinePacer, WorkersShareOneTimelineOfStages) {
    open_stages("1:7,2:7..301,1:19.5");
    const auto alone = all_slots(1, 5 * kSecondNs);
    for (const uint32_t workers : {2u, 3u, 64u, 1000u}) EXPECT_EQ(all_slots(workers, 5 * kSecondNs), alone) << workers;
}

TEST_F(TimelinePacer, ScheduledCountsGrantedSlotsAndThoseThatNeverWere) {
    open_stages("1:2,1:4");
    slots(0, 1, 0, 2 * kSecondNs);               // granted one
    EXPECT_EQ(scheduled_, 6u);                   // the slot at 2 s is due exactly at the end
    slots(0, 1, 10 * kSecondNs, 2 * kSecondNs);  // granted more than end holds
    EXPECT_EQ(scheduled_, 6u);
    slots(1, 4, 0, 2 * kSecondNs + 1);
    EXPECT_EQ(scheduled_, 2u);  // slots 1 and 5 of 0..6
}

// A thousand million slots are counted, not walked through.
TEST_F(TimelinePacer, ScheduledIsQuickAtAnyRate) {
    open_stages("1000:1000000000");
    slots(0, 3, 0, 900 * kSecondNs);
    EXPECT_NEAR(static_cast<double>(scheduled_), 3e11, 1e3);
    open_stages("10:1e8", "poisson");
    EXPECT_EQ(plugin_->failure, "pacer stages: random arrivals come at most at 10,000,000 a second");
    open_poisson(1e8);
    EXPECT_EQ(plugin_->failure, "pacer poisson: random arrivals come at most at 10,000,000 a second");
}

TEST_F(TimelinePacer, WhatIsNoProfileIsNamed) {
    const std::string form = "; a stage is SECONDS:RATE or SECONDS:FROM..TO";
    const std::pair<const char*, std::string> faults[] = {{"5", "\"5\": the rate is missing"},
                                                          {"0:5", "\"0:5\": its time is zero"},
                                                          {"1:5,", "\"\": the rate is missing"},
                                                          {"1:x", "\"1:x\": that is no time and rate"},
                                                          {"1:-5", "\"1:-5\": that is no time and rate"},
                                                          {"1:nan", "\"1:nan\": that is no time and rate"},
                                                          {"1:5..6..7", "\"1:5..6..7\": that is no time and rate"}};
    for (const auto& [profile, fault] : faults) {
        open_stages(profile);
        EXPECT_EQ(plugin_->failure, "pacer stages: profile: " + fault + form) << profile;
    }
    open_stages("1:0");
    EXPECT_EQ(plugin_->failure, "pacer stages: profile: no stage has a rate above zero");
}

TEST_F(TimelinePacer, PoissonArrivalsHangOnTheSeedAlone) {
    open_poisson(1000, 7);
    const auto alone = all_slots(1, 3 * kSecondNs);
    for (const uint32_t workers : {2u, 5u, 64u}) EXPECT_EQ(all_slots(workers, 3 * kSecondNs), alone) << workers;
    open_poisson(1000, 8);
    EXPECT_NE(all_slots(1, 3 * kSecondNs), alone);
}

TEST_F(TimelinePacer, ScheduledPoissonSlotsAreThoseThatAreGranted) {
    open_poisson(5000);
    const uint64_t end = 2 * kSecondNs;
    uint64_t granted = 0, counted = 0;
    for (uint32_t index = 0; index < 3; ++index) {
        granted += slots(index, 3, end - 1).size();
        slots(index, 3, kSecondNs, end);
        counted += scheduled_;
    }
    EXPECT_EQ(counted, granted);
}

// Kolmogorov-Smirnov distance between the gaps and the exponential distribution, against its critical value at 1 %.
double exponential_distance(const std::vector<uint64_t>& due, double rate) {
    std::vector<double> gaps;
    for (size_t i = 1; i < due.size(); ++i) gaps.push_back(static_cast<double>(due[i] - due[i - 1]) / 1e9);
    std::sort(gaps.begin(), gaps.end());
    const auto n = static_cast<double>(gaps.size());
    double most = 0;
    for (size_t i = 0; i < gaps.size(); ++i) {
        const double expected = 1 - std::exp(-rate * gaps[i]);
        most = std::max({most, std::abs(expected - static_cast<double>(i) / n), std::abs(expected - static_cast<double>(i + 1) / n)});
    }
    return most * std::sqrt(n);
}
constexpr double kOnePercent = 1.628;

TEST_F(TimelinePacer, PoissonGapsAreExponential) {
    for (const uint64_t seed : {1u, 2u, 3u}) {
        open_poisson(1000, seed);
        const auto due = all_slots(1, 20 * kSecondNs);
        EXPECT_NEAR(static_cast<double>(due.size()), 20'000, 4 * std::sqrt(20'000.0)) << seed;
        EXPECT_LT(exponential_distance(due, 1000), kOnePercent) << seed;
    }
}

TEST_F(TimelinePacer, StagesWithPoissonArrivalsKeepTheirRates) {
    open_stages("10:100,10:1000", "poisson", 5);
    const auto due = all_slots(2, 20 * kSecondNs);
    const auto slow = std::lower_bound(due.begin(), due.end(), 10 * kSecondNs) - due.begin();
    EXPECT_NEAR(static_cast<double>(slow), 1000, 4 * std::sqrt(1000.0));
    EXPECT_NEAR(static_cast<double>(due.size()) - static_cast<double>(slow), 10'000, 400);
    EXPECT_LT(exponential_distance({due.begin() + slow, due.end()}, 1000), kOnePercent);
}

TEST_F(TimelinePacer, PoissonNeedsARate) {
    open_poisson(0);
    EXPECT_EQ(plugin_->failure, "pacer poisson: it needs a rate; give one with --rate");
}

}  // namespace
}  // namespace rl::testing
