// What workers measured, added up: the merged figures are those that one worker would have had.
#include "core/engine/merge.hpp"

#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace rl::engine {
namespace {

using stats::Counter;
using stats::TransportError;
using stats::WorkerStats;

TEST(WorkerStats, AStatusHasItsOwnHistogram) {
    WorkerStats w;
    w.answer(200, 1000);
    w.answer(200, 3000);
    w.answer(503, 50);
    const auto statuses = w.statuses();
    ASSERT_EQ(statuses.size(), 2u);
    EXPECT_EQ(statuses[0].status, 200u);
    EXPECT_EQ(statuses[0].service->count(), 2u);
    EXPECT_EQ(statuses[1].status, 503u);
    EXPECT_EQ(w.status_count(503), 1u);
    EXPECT_EQ(w.status_count(404), 0u);
}

TEST(WorkerStats, RareStatusesShareTheLastSlot) {
    WorkerStats w;
    for (unsigned status = 100; status < 130; ++status) w.answer(status, status);
    const auto statuses = w.statuses();
    ASSERT_EQ(statuses.size(), WorkerStats::kStatuses);
    EXPECT_EQ(statuses.back().status, 0u);
    EXPECT_EQ(statuses.back().service->count(), 15u);
    EXPECT_EQ(w.status_count(129), 1u);
}

TEST(Merge, TheFirstCauseThatIsKnownIsKept) {
    WorkerStats quiet, w;
    w.caused(TransportError::connect_failed, static_cast<uint8_t>(IoError::no_ports));
    w.caused(TransportError::connect_failed, static_cast<uint8_t>(IoError::unreachable));
    const WorkerStats* const both[] = {&quiet, &w};
    const MergedStats merged = merge_stats(both);
    EXPECT_EQ(merged.causes[static_cast<size_t>(TransportError::connect_failed)], IoError::no_ports);
    EXPECT_EQ(merged.causes[static_cast<size_t>(TransportError::other)], IoError::none);
    w.start_over();
    EXPECT_EQ(merge_stats(both).causes[static_cast<size_t>(TransportError::connect_failed)], IoError::none);
}

TEST(Merge, NoWorkersGiveNothing) {
    const MergedStats merged = merge_stats({});
    EXPECT_EQ(merged.service.count(), 0u);
    EXPECT_TRUE(merged.statuses.empty());
}

TEST(Merge, TwoWorkersAddUp) {
    WorkerStats a;
    WorkerStats b;
    a.counters.add(Counter::requests, 5);
    b.counters.add(Counter::requests, 6);
    a.answer(200, 100);
    b.answer(200, 300);
    b.answer(404, 700);
    a.corrected().record(1000);
    a.sent_late(900);
    b.failed(TransportError::connect_refused);
    b.failed(TransportError::connect_refused);
    a.connected(42);
    const WorkerStats* both[] = {&a, &b};
    const MergedStats merged = merge_stats(both);
    EXPECT_EQ(merged.counters.get(Counter::requests), 11u);
    EXPECT_EQ(merged.service.count(), 3u);
    EXPECT_EQ(merged.service.max(), 700u);
    ASSERT_EQ(merged.statuses.size(), 2u);
    EXPECT_EQ(merged.statuses[0].code, 200u);
    EXPECT_EQ(merged.statuses[0].count, 2u);
    EXPECT_EQ(merged.statuses[0].service.max(), 300u);
    EXPECT_TRUE(merged.statuses[0].exact);
    EXPECT_EQ(merged.statuses[1].code, 404u);
    EXPECT_EQ(merged.corrected.count(), 1u);
    EXPECT_EQ(merged.send_delay.max(), 900u);
    EXPECT_EQ(merged.connect.max(), 42u);
    EXPECT_EQ(merged.transport_errors(), 2u);
}

TEST(Merge, SharedStatusesAreCountedAndMarkedInexact) {
    WorkerStats w;
    for (unsigned status = 200; status < 220; ++status) w.answer(status, 1000 + status);
    const WorkerStats* one[] = {&w};
    const MergedStats merged = merge_stats(one);
    ASSERT_EQ(merged.statuses.size(), 20u);
    EXPECT_EQ(merged.service.count(), 20u);
    EXPECT_TRUE(merged.statuses.front().exact);
    EXPECT_FALSE(merged.statuses.back().exact);
    EXPECT_EQ(merged.statuses.back().code, 219u);
    EXPECT_EQ(merged.statuses.back().count, 1u);
}

TEST(Merge, MayReadWhileTheWorkerWrites) {
    constexpr uint64_t kAnswers = 200'000;
    auto w = std::make_unique<WorkerStats>();
    std::thread writer([&] {
        for (uint64_t i = 0; i < kAnswers; ++i) w->answer(200 + static_cast<unsigned>(i % 20), i);
    });
    const WorkerStats* one[] = {w.get()};
    uint64_t last = 0;
    for (int i = 0; i < 50; ++i) {
        const uint64_t seen = merge_stats(one).service.count();
        EXPECT_GE(seen, last);
        EXPECT_LE(seen, kAnswers);
        last = seen;
    }
    writer.join();
    EXPECT_EQ(merge_stats(one).service.count(), kAnswers);
}

}  // namespace
}  // namespace rl::engine
