// Rows of a running run: each is what happened since the one before, and together they are the whole.
#include "core/engine/sampler.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <vector>

namespace rl::engine {
namespace {

using stats::Counter;
using stats::TransportError;
using stats::WorkerStats;

constexpr uint64_t kStart = 7'000'000'000, kSecondNs = 1'000'000'000;

struct Crowd {
    Crowd() {
        for (int i = 0; i < 2; ++i) pointers.push_back(owned.emplace_back(std::make_unique<WorkerStats>()).get());
    }
    void answers(size_t worker, int count, uint64_t service_ns) {
        for (int i = 0; i < count; ++i) owned[worker]->answer(200, service_ns);
        owned[worker]->counters.add(Counter::requests, static_cast<uint64_t>(count));
        owned[worker]->counters.add(Counter::responses, static_cast<uint64_t>(count));
        owned[worker]->counters.add(Counter::ok, static_cast<uint64_t>(count));
        owned[worker]->counters.add(Counter::bytes_received, static_cast<uint64_t>(count) * 100);
    }
    std::vector<std::unique_ptr<WorkerStats>> owned;
    std::vector<const WorkerStats*> pointers;
};

TEST(Sampler, ARowIsTheDifferenceToTheLast) {
    Crowd crowd;
    Sampler sampler(crowd.pointers, kStart);
    crowd.answers(0, 10, 1'000'000);
    crowd.answers(1, 30, 1'000'000);
    crowd.owned[1]->failed(TransportError::connection_reset);
    crowd.owned[0]->connections_live(3);
    crowd.owned[1]->connections_live(4);
    const Sample first = sampler.take(kStart + kSecondNs);
    EXPECT_EQ(first.at, 0);
    EXPECT_EQ(first.length, static_cast<Nanos>(kSecondNs));
    EXPECT_EQ(first.requests, 40u);
    EXPECT_EQ(first.responses, 40u);
    EXPECT_EQ(first.ok, 40u);
    EXPECT_EQ(first.errors, 1u);
    EXPECT_EQ(first.bytes_received, 4000u);
    EXPECT_EQ(first.connections_live, 7u);
    EXPECT_NEAR(static_cast<double>(first.p50_ns), 1e6, 1e4);

    crowd.answers(0, 5, 80'000'000);
    crowd.owned[0]->connections_live(2);
    const Sample second = sampler.take(kStart + 3 * kSecondNs);
    EXPECT_EQ(second.at, static_cast<Nanos>(kSecondNs));
    EXPECT_EQ(second.length, static_cast<Nanos>(2 * kSecondNs));
    EXPECT_EQ(second.requests, 5u);
    EXPECT_EQ(second.errors, 0u);
    EXPECT_EQ(second.connections_live, 6u);
    // Only this interval's answers, not the forty quick ones before.
    EXPECT_NEAR(static_cast<double>(second.p50_ns), 80e6, 1e6);
    EXPECT_NEAR(static_cast<double>(second.p99_ns), 80e6, 1e6);
}

TEST(Sampler, AnIntervalInWhichNothingHappenedIsARowOfNoughts) {
    Crowd crowd;
    Sampler sampler(crowd.pointers, kStart);
    crowd.answers(0, 10, 1'000'000);
    sampler.take(kStart + kSecondNs);
    const Sample row = sampler.take(kStart + 2 * kSecondNs);
    EXPECT_EQ(row.requests, 0u);
    EXPECT_EQ(row.responses, 0u);
    EXPECT_EQ(row.p50_ns, 0u);
    EXPECT_EQ(row.p99_ns, 0u);
}

TEST(Sampler, AStatusThatComesLaterBelongsToItsRow) {
    Crowd crowd;
    Sampler sampler(crowd.pointers, kStart);
    crowd.answers(0, 100, 1'000'000);
    sampler.take(kStart + kSecondNs);
    for (int i = 0; i < 10; ++i) crowd.owned[1]->answer(503, 9'000'000);
    EXPECT_NEAR(static_cast<double>(sampler.take(kStart + 2 * kSecondNs).p50_ns), 9e6, 1e5);
}

TEST(Sampler, TheRestIsARowOnlyIfSomethingHappened) {
    Crowd crowd;
    Sampler sampler(crowd.pointers, kStart);
    EXPECT_TRUE(sampler.has_rest(kStart + 1)) << "a run has at least one row";
    crowd.answers(0, 1, 1000);
    sampler.take(kStart + kSecondNs);
    EXPECT_FALSE(sampler.has_rest(kStart + kSecondNs + 500));
    crowd.answers(0, 1, 1000);
    EXPECT_TRUE(sampler.has_rest(kStart + kSecondNs + 500));
    EXPECT_FALSE(sampler.has_rest(kStart + kSecondNs)) << "a row without length";
}

}  // namespace
}  // namespace rl::engine
