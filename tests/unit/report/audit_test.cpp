// The self-audit: when a run is believed, when not, and which figure is named.
#include "core/report/audit.hpp"

#include <gtest/gtest.h>

#include "tests/support/run_samples.hpp"

namespace rl::report {
namespace {

using engine::RunResult;
using engine::StopReason;
using stats::Counter;

const Check& check(const Audit& audit, std::string_view name) {
    for (const Check& c : audit.checks) {
        if (c.name == name) return c;
    }
    static const Check kMissing{"missing", CheckState::failed, ""};
    return kMissing;
}

// A kept schedule: 1000 slots in ten seconds, each served in 1 ms over ten connections.
RunResult scheduled() {
    RunResult run = tests::run_sample("empty");
    run.stop = StopReason::duration;
    run.elapsed = run.spec.duration = 10 * kSecond;
    run.spec.rate = 100;
    run.spec.connections = 10;
    run.spec.load_model = engine::LoadModel::scheduled;
    run.connections_live = run.connections_peak = 10;
    run.has_schedule = true;
    run.slots_scheduled = 1000;
    auto& s = run.stats;
    s.statuses.emplace_back();
    s.statuses[0].code = 200;
    s.statuses[0].count = 1000;
    for (int i = 0; i < 1000; ++i) {
        s.service.record(1'000'000);
        s.send_delay.record(20'000);
        s.corrected.record(1'020'000);
    }
    s.counters.add(Counter::requests, 1000);
    s.counters.add(Counter::responses, 1000);
    s.counters.add(Counter::ok, 1000);
    s.counters.add(Counter::slots_issued, 1000);
    s.counters.add(Counter::wakes, 2000);
    s.counters.add(Counter::sleeps, 1500);
    run.workers[0].cpu_ns = 500'000'000;
    return run;
}

TEST(Audit, AGoodClosedLoopIsValid) {
    const Audit a = audit(tests::run_sample("closed"));
    EXPECT_EQ(a.verdict, Verdict::valid);
    EXPECT_NEAR(*a.client_cpu_percent, 97, 1e-9);
    EXPECT_EQ(check(a, "outcomes").state, CheckState::passed);
    EXPECT_EQ(check(a, "littles_law").state, CheckState::passed);
    EXPECT_EQ(check(a, "schedule").state, CheckState::not_applicable);
}

TEST(Audit, ALostOutcomeIsInconsistent) {
    RunResult run = tests::run_sample("closed");
    run.stats.counters.add(Counter::requests, 1);
    const Audit a = audit(run);
    EXPECT_EQ(a.verdict, Verdict::inconsistent);
    EXPECT_EQ(check(a, "outcomes").state, CheckState::failed);
    EXPECT_NE(a.reason.find("139,821 requests"), std::string::npos) << a.reason;
}

TEST(Audit, AnAnswerWithoutALatencyIsInconsistent) {
    RunResult run = tests::run_sample("eight");
    run.stats.service.record(1);
    EXPECT_EQ(audit(run).verdict, Verdict::inconsistent);
}

TEST(Audit, LittlesLawFindsLatenciesThatAreTooShort) {
    RunResult run = tests::run_sample("closed");
    run.spec.connections = 110;
    run.connections_live = 110;  // as if a tenth of the waiting were not in the latencies
    const Audit a = audit(run);
    EXPECT_EQ(a.verdict, Verdict::inconsistent);
    EXPECT_EQ(check(a, "littles_law").state, CheckState::failed);
}

TEST(Audit, LittlesLawIsNotAskedWhereItDoesNotHold) {
    for (const auto* name : {"overload", "mixed", "unreachable", "empty", "one", "eight"}) {
        EXPECT_EQ(check(audit(tests::run_sample(name)), "littles_law").state, CheckState::not_applicable) << name;
    }
    RunResult run = tests::run_sample("closed");
    run.stop = StopReason::requests;
    EXPECT_EQ(check(audit(run), "littles_law").state, CheckState::not_applicable);
}

TEST(Audit, ARunThatLastedTooLongIsInconsistent) {
    RunResult run = tests::run_sample("closed");
    run.elapsed = 14 * kSecond;  // the client was stopped for four of them
    EXPECT_EQ(check(audit(run), "wall_time").state, CheckState::failed);
    EXPECT_EQ(audit(run).verdict, Verdict::inconsistent);
}

// As if the loop had turned this often: `closed` has 139,820 answers.
RunResult closed_with_turns(uint64_t turns) {
    RunResult run = tests::run_sample("closed");
    run.workers[0].cpu_ns = 9'990'000'000;
    run.stats.counters.add(Counter::wakes, turns - run.stats.counters.get(Counter::wakes));
    return run;
}

TEST(Audit, AFullCpuWithAnswersWaitingIsNamed) {
    const Audit a = audit(closed_with_turns(2'000));  // 70 of 100 answers wait whenever the worker looks
    EXPECT_EQ(a.verdict, Verdict::client_saturated);
    EXPECT_NE(a.reason.find("-t"), std::string::npos);
}

TEST(Audit, AFullCpuThatOnlySpinsIsNot) {
    RunResult run = closed_with_turns(5'000'000);  // the worker looks far more often than answers come
    EXPECT_EQ(audit(run).verdict, Verdict::valid);
    run.spec.wait = engine::Wait::spin;
    EXPECT_EQ(audit(run).verdict, Verdict::valid);
    run.spec.wait = engine::Wait::sleep;  // then there is no spinning that could have used the CPU
    EXPECT_EQ(audit(run).verdict, Verdict::client_saturated);
}

TEST(Audit, AShortStallIsNamedWhereLatenciesMayBeMadeOfIt) {
    RunResult run = scheduled();  // every latency is 1 ms
    run.workers[0].worst_stall = 5 * kMillisecond;
    EXPECT_EQ(audit(run).reason, "the schedule was kept");
    run.workers[0].worst_stall = 40 * kMillisecond;
    EXPECT_EQ(audit(run).verdict, Verdict::valid);
    EXPECT_EQ(audit(run).reason,
              "the schedule was kept; a worker stood still for 40ms, so that the longest latencies may be the client's own");
    for (int i = 0; i < 100; ++i) run.stats.corrected.record(60'000'000);  // p99 lies above the stall
    EXPECT_EQ(audit(run).reason, "the schedule was kept");
    run = tests::run_sample("closed");
    run.workers[0].worst_stall = 99 * kMillisecond;
    EXPECT_NE(audit(run).reason.find("a worker stood still for 99ms"), std::string::npos);
}

TEST(Audit, AStallOfTheClientIsNamed) {
    RunResult run = scheduled();
    run.workers[0].worst_stall = 150 * kMillisecond;
    const Audit a = audit(run);
    EXPECT_EQ(a.verdict, Verdict::client_saturated);
    EXPECT_NE(a.reason.find("150ms"), std::string::npos) << a.reason;
}

TEST(Audit, AKeptScheduleIsValid) {
    const Audit a = audit(scheduled());
    EXPECT_EQ(a.verdict, Verdict::valid) << a.reason;
    EXPECT_EQ(check(a, "schedule").state, CheckState::passed);
}

TEST(Audit, ASlotThatVanishedIsInconsistent) {
    RunResult run = scheduled();
    run.slots_scheduled += 1;
    EXPECT_EQ(audit(run).verdict, Verdict::inconsistent);
}

TEST(Audit, ASlowTargetIsNotTheClientsFault) {
    const Audit a = audit(tests::run_sample("overload"));
    EXPECT_EQ(a.verdict, Verdict::valid);
    EXPECT_NE(a.reason.find("target was the bottleneck"), std::string::npos) << a.reason;
}

TEST(Audit, SkippedSlotsWithFreeConnectionsAreTheClientsFault) {
    RunResult run = scheduled();
    run.slots_scheduled = 2000;
    run.stats.counters.add(Counter::slots_skipped, 1000);
    const Audit a = audit(run);
    EXPECT_EQ(a.verdict, Verdict::client_saturated);
    EXPECT_NE(a.reason.find("skipped"), std::string::npos) << a.reason;
}

TEST(Audit, SkippedSlotsBehindATargetThatStoppedAreNot) {
    RunResult run = scheduled();
    const uint64_t connections = run.spec.connections;  // each has a request out that was never answered
    run.slots_scheduled = 2000 + connections;
    run.stats.counters.add(Counter::slots_skipped, 1000);
    for (const Counter counter : {Counter::slots_issued, Counter::requests, Counter::abandoned})
        run.stats.counters.add(counter, connections);
    const Audit a = audit(run);
    EXPECT_EQ(a.verdict, Verdict::valid) << a.reason;
    EXPECT_NE(a.reason.find("target was the bottleneck"), std::string::npos) << a.reason;
}

TEST(Audit, DroppedSlotsFoundNoFreeConnection) {
    RunResult run = scheduled();
    run.spec.load_model = engine::LoadModel::open;
    run.slots_scheduled = 2000;
    run.stats.counters.add(Counter::slots_dropped, 1000);
    const Audit a = audit(run);
    EXPECT_EQ(a.verdict, Verdict::valid) << a.reason;
    EXPECT_NE(a.reason.find("found no free connection"), std::string::npos) << a.reason;
}

TEST(Audit, SkippedSlotsAfterLostConnectionsAreNot) {
    RunResult run = scheduled();
    run.slots_scheduled = 2000;
    run.stats.counters.add(Counter::slots_skipped, 1000);
    run.connections_live = 2;
    EXPECT_EQ(audit(run).verdict, Verdict::valid);
}

TEST(Audit, RequestsNoLaterThanAHaltOfTheClientAreItsFault) {
    RunResult run = scheduled();
    for (int i = 0; i < 100; ++i) run.stats.send_delay.record(50'000'000);
    run.workers[0].worst_stall = 20 * kMillisecond;
    EXPECT_EQ(audit(run).verdict, Verdict::valid);
    run.workers[0].worst_stall = 60 * kMillisecond;
    const Audit a = audit(run);
    EXPECT_EQ(a.verdict, Verdict::client_saturated);
    EXPECT_NE(a.reason.find("stood still"), std::string::npos) << a.reason;
}

TEST(Audit, LateRequestsOnAFullCpuAreTheClientsFault) {
    RunResult run = scheduled();
    for (int i = 0; i < 100; ++i) run.stats.send_delay.record(50'000'000);
    EXPECT_EQ(audit(run).verdict, Verdict::valid);
    run.workers[0].cpu_ns = 9'800'000'000;
    run.spec.wait = engine::Wait::sleep;
    EXPECT_EQ(audit(run).verdict, Verdict::client_saturated);
}

TEST(Audit, ABrokenRunSaysWhy) {
    RunResult run = tests::run_sample("eight");
    run.stop = StopReason::failed;
    run.failure = "the source could not go on";
    const Audit a = audit(run);
    EXPECT_EQ(a.verdict, Verdict::inconsistent);
    EXPECT_NE(a.reason.find(run.failure), std::string::npos);
}

TEST(Audit, NoAnswerIsNoContradiction) {
    EXPECT_EQ(audit(tests::run_sample("unreachable")).verdict, Verdict::valid);
    EXPECT_EQ(audit(tests::run_sample("empty")).verdict, Verdict::valid);
}

}  // namespace
}  // namespace rl::report
