// Pacer constant through its ABI: exact sums over workers, exact due times, no drift.
#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "tests/unit/plugins/opened_plugin.hpp"

namespace rl::testing {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;
__extension__ typedef unsigned __int128 Wide;

engine::RunSpec run_at(double rate) {
    engine::RunSpec run;
    run.rate = rate;
    return run;
}

class Constant : public ::testing::Test {
  protected:
    void open(double rate) { plugin_.emplace(module::Kind::pacer, "constant", run_at(rate), host_); }

    // Everything that one worker is granted when it asks at these instants, until each is dry.
    std::vector<uint64_t> grants(uint32_t index, uint32_t count, const std::vector<uint64_t>& instants) {
        void* const self = plugin_->open_worker(index, count);
        std::vector<uint64_t> all;
        for (const uint64_t now : instants) {
            std::array<uint64_t, 7> due{};
            for (int32_t n = -1; n != 0;) {
                n = plugin_->ops().grant(self, now, due.data(), due.size(), &next_);
                if (n < 0) {
                    ADD_FAILURE() << "grant() returned " << n;
                    break;
                }
                all.insert(all.end(), due.begin(), due.begin() + n);
            }
        }
        plugin_->ops().worker_close(self);
        return all;
    }
    uint64_t scheduled(uint32_t count, uint64_t end_ns) {
        uint64_t sum = 0;
        for (uint32_t index = 0; index < count; ++index) {
            void* const self = plugin_->open_worker(index, count);
            sum += plugin_->ops().scheduled(self, end_ns);
            plugin_->ops().worker_close(self);
        }
        return sum;
    }

    FakeHost host_;
    std::optional<OpenedPlugin<rl_pacer_ops>> plugin_;
    uint64_t next_ = 0;
};

TEST_F(Constant, ThirtyASecondForThreeSecondsIsNinety) {
    open(30);
    for (const uint32_t workers : {1u, 2u, 7u, 64u, 200u}) EXPECT_EQ(scheduled(workers, 3 * kSecondNs), 90u) << workers;
}

TEST_F(Constant, ASlotDueExactlyAtTheEndIsNotOwned) {
    open(10);
    EXPECT_EQ(scheduled(1, kSecondNs), 10u);  // 0 .. 0.9 s
    EXPECT_EQ(scheduled(1, kSecondNs + 1), 11u);
    EXPECT_EQ(scheduled(1, 0), 0u);
    EXPECT_EQ(scheduled(1, 1), 1u);
}

TEST_F(Constant, WorkersPartTheSlotsWithoutRemainder) {
    open(10);
    std::vector<uint64_t> all;
    for (uint32_t index = 0; index < 12; ++index) {  // more workers than slots in a second
        const auto mine = grants(index, 12, {kSecondNs - 1});
        EXPECT_LE(mine.size(), 1u);
        all.insert(all.end(), mine.begin(), mine.end());
    }
    ASSERT_EQ(all.size(), 10u);
    for (uint64_t k = 0; k < 10; ++k) EXPECT_EQ(all[k], k * kSecondNs / 10);
}

TEST_F(Constant, HalfARequestASecond) {
    open(0.5);
    EXPECT_EQ(grants(0, 1, {0, kSecondNs, 2 * kSecondNs, 4 * kSecondNs}), (std::vector<uint64_t>{0, 2 * kSecondNs, 4 * kSecondNs}));
    EXPECT_EQ(next_, 6 * kSecondNs);
    EXPECT_EQ(scheduled(3, 10 * kSecondNs), 5u);
}

TEST_F(Constant, NothingIsHandedOutBeforeItIsDue) {
    open(1000);
    const auto early = grants(0, 1, {999'999});
    EXPECT_EQ(early, (std::vector<uint64_t>{0}));
    EXPECT_EQ(next_, 1'000'000u);
    EXPECT_EQ(grants(1, 2, {999'999}).size(), 0u);
    EXPECT_EQ(next_, 1'000'000u);
}

TEST_F(Constant, AskedForFewItSaysThatMoreIsDueNow) {
    open(1000);
    void* const self = plugin_->open_worker(0, 1);
    std::array<uint64_t, 2> due{};
    uint64_t next = 0;
    EXPECT_EQ(plugin_->ops().grant(self, kSecondNs, due.data(), 2, &next), 2);
    EXPECT_EQ(next, 2'000'000u);
    EXPECT_EQ(plugin_->ops().grant(self, kSecondNs, due.data(), 2, &next), 2);
    EXPECT_EQ(due[0], 2'000'000u);
    plugin_->ops().worker_close(self);
}

// Slot k at 7 a second is due at floor(k * 1e9 / 7), an hour in as at the start.
TEST_F(Constant, AnHourDoesNotDrift) {
    open(7);
    const auto all = grants(0, 1, {3600 * kSecondNs - 1});
    ASSERT_EQ(all.size(), 7u * 3600);
    for (uint64_t k = 0; k < all.size(); ++k) ASSERT_EQ(all[k], k * kSecondNs / 7) << k;
}

TEST_F(Constant, AnHourAtAHighRateDoesNotDriftEither) {
    open(333'333);
    void* const self = plugin_->open_worker(5, 6);
    std::array<uint64_t, 64> due{};
    uint64_t next = 0, k = 5, last = 0;
    for (int32_t n = 1; n > 0 && k < 60'000'000;) {
        n = plugin_->ops().grant(self, 3600 * kSecondNs, due.data(), 64, &next);
        for (int32_t i = 0; i < n; ++i, k += 6) last = due[static_cast<size_t>(i)];
    }
    EXPECT_EQ(last, static_cast<uint64_t>(Wide{k - 6} * kSecondNs / 333'333));
    plugin_->ops().worker_close(self);
}

// 100/m, 1/3, 0.1: the double is not the number that was meant, and the schedule still is.
TEST_F(Constant, ARateIsTheSimpleFractionThatWasMeant) {
    open(100.0 / 60);
    EXPECT_EQ(scheduled(1, 3 * kSecondNs), 5u);
    EXPECT_EQ(grants(0, 1, {3 * kSecondNs}).back(), 3 * kSecondNs);
    open(0.1);
    EXPECT_EQ(grants(0, 1, {100 * kSecondNs}).back(), 100 * kSecondNs);
    open(1.0 / 3);
    EXPECT_EQ(scheduled(2, 3600 * kSecondNs), 1200u);
    open(1234567.89);
    EXPECT_EQ(scheduled(3, 100 * kSecondNs), 123'456'789u);
}

TEST_F(Constant, AnyDoubleIsAtMostASlotOff) {
    for (const double rate : {3.141592653589793, 2.718281828459045e5, 1.6180339887e-3, 99999.99999999999, 1e12, 1e-9}) {
        open(rate);
        const double end = 10.0;
        EXPECT_NEAR(static_cast<double>(scheduled(4, 10 * kSecondNs)), std::max(1.0, rate * end), 1.0 + rate * end * 1e-15) << rate;
    }
}

TEST_F(Constant, TheSlowestRatesAreNeverDueAgain) {
    open(1e-9);
    EXPECT_EQ(grants(63, 64, {365 * 86'400 * kSecondNs}).size(), 0u);
    EXPECT_EQ(next_, static_cast<uint64_t>(std::numeric_limits<int64_t>::max()));
}

TEST_F(Constant, NeedsARate) {
    open(0);
    EXPECT_EQ(plugin_->failure, "pacer constant: it needs a rate; give one with --rate");
    open(1e13);
    EXPECT_EQ(plugin_->failure, "pacer constant: the rate is out of its range; give 1e-9 to 1e12 requests per second");
}

TEST(Unlimited, ItsFlagSaysEverything) {
    FakeHost host;
    OpenedPlugin<rl_pacer_ops> plugin(module::Kind::pacer, "unlimited", run_at(0), host);
    ASSERT_TRUE(plugin.is_open()) << plugin.failure;
    EXPECT_EQ(plugin.ops().flags, uint32_t{RL_PACER_UNLIMITED});
    EXPECT_EQ(plugin.ops().grant, nullptr);
    void* const self = plugin.open_worker(0, 1);
    ASSERT_NE(self, nullptr);
    plugin.ops().worker_close(self);
}

}  // namespace
}  // namespace rl::testing
