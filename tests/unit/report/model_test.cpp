// What the model makes of a run: every ratio defined, every count where the contract puts it.
#include "core/report/model.hpp"

#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "tests/support/run_samples.hpp"

namespace rl::report {
namespace {

using engine::RunResult;
using stats::Counter;
using stats::TransportError;

RunReport report_of(const RunResult& run) { return build_report(run, {.tool_version = "0", .exit_code = 0, .verdict = "passed"}); }

TEST(Model, AnEmptyRunHasNoRatios) {
    const RunResult run = tests::run_sample("empty");
    const RunReport report = report_of(run);
    EXPECT_EQ(report.summary.requests_per_second, 0.0);
    EXPECT_FALSE(report.summary.failure_rate_percent.has_value());
    EXPECT_FALSE(report.transfer.body_per_response.has_value());
    EXPECT_FALSE(report.latency.avg.has_value());
    EXPECT_TRUE(report.histogram.empty());
    EXPECT_TRUE(report.statuses.empty());
    EXPECT_FALSE(report.audit.syscalls_per_request.has_value());
}

TEST(Model, OneAnswerIsEveryPercentile) {
    const RunResult run = tests::run_sample("one");
    const RunReport report = report_of(run);
    EXPECT_EQ(report.latency.count, 1u);
    EXPECT_EQ(report.latency.p50, report.latency.max);
    EXPECT_EQ(report.latency.avg, report.latency.min);
    EXPECT_EQ(report.latency.stdev, 0.0);
    ASSERT_EQ(report.histogram.size(), 1u);
    EXPECT_EQ(report.histogram[0].percent, 100.0);
}

TEST(Model, TenBarsOfEqualRatioHoldEveryAnswer) {
    for (const auto* name : {"closed", "mixed", "eight"}) {
        const RunResult run = tests::run_sample(name);
        const RunReport report = report_of(run);
        ASSERT_EQ(report.histogram.size(), 10u) << name;
        const double ratio = report.histogram[4].end_ms / report.histogram[4].start_ms;
        uint64_t sum = 0;
        double last_end = *report.latency.min;
        for (const Bar& bar : report.histogram) {
            EXPECT_DOUBLE_EQ(bar.start_ms, last_end);
            EXPECT_NEAR(bar.end_ms / bar.start_ms, ratio, ratio * 1e-4);
            last_end = bar.end_ms;
            sum += bar.count;
        }
        EXPECT_DOUBLE_EQ(last_end, *report.latency.max);
        EXPECT_EQ(sum, report.summary.responses);
    }
}

TEST(Model, ZeroIsALatencyToo) {
    stats::Histogram h;
    h.record(0);
    h.record(1000);
    const auto bars = ten_bars(h);
    ASSERT_EQ(bars.size(), 10u);
    EXPECT_EQ(bars.front().start_ms, 0.0);
    EXPECT_EQ(bars.front().count, 1u);
    EXPECT_EQ(bars.back().count, 1u);
}

TEST(Model, OverflowStandsInTheLastBar) {
    stats::Histogram h;
    h.record(1'000'000);
    h.record(uint64_t{7'200} * 1'000'000'000);
    const auto bars = ten_bars(h);
    EXPECT_EQ(bars.back().count, 1u);
    EXPECT_EQ(describe(h).overflow, 1u);
    EXPECT_EQ(describe(h).max, 7'200'000.0);
}

TEST(Model, OutcomesAddUp) {
    const RunResult run = tests::run_sample("mixed");
    const RunReport report = report_of(run);
    const Summary& s = report.summary;
    EXPECT_EQ(s.requests, s.responses + s.transport_errors + s.abandoned);
    EXPECT_EQ(s.responses, s.ok + s.failed);
    EXPECT_DOUBLE_EQ(*s.failure_rate_percent, 100.0 * static_cast<double>(s.failed + s.transport_errors) / static_cast<double>(s.requests));
    EXPECT_EQ(report.socket_errors.timeout, 30u);
    EXPECT_EQ(report.socket_errors.read, 16u);
    EXPECT_EQ(report.socket_errors.total(), s.transport_errors);
    ASSERT_EQ(report.transport_errors.size(), 3u);
    EXPECT_EQ(report.transport_errors[0].category, "request_timeout");
}

TEST(Model, ATransportErrorHasASentenceWhereMoreIsKnown) {
    const auto message = [](stats::TransportError error, engine::IoError cause, Nanos timeout) {
        RunResult run = tests::run_sample("empty");
        run.spec.timeout = timeout;
        run.stats.errors[static_cast<size_t>(error)] = 1;
        run.stats.causes[static_cast<size_t>(error)] = cause;
        return report_of(run).transport_errors.at(0).message;
    };
    using engine::IoError;
    using stats::TransportError;
    EXPECT_EQ(message(TransportError::connect_failed, IoError::no_ports, 0), "no local port was free: keep connections, or use fewer");
    EXPECT_EQ(message(TransportError::connect_failed, IoError::other, 0), "");
    EXPECT_EQ(message(TransportError::connection_reset, IoError::reset, 0),
              "the connection was reset by the target, or broke while sending");
    EXPECT_EQ(message(TransportError::request_timeout, IoError::none, 2 * kSecond), "no whole answer within 2s");
    EXPECT_EQ(message(TransportError::connect_timeout, IoError::none, 2 * kSecond), "no connection within 2s");
    EXPECT_EQ(message(TransportError::connect_timeout, IoError::timed_out, 0), "the system gave up waiting for the target");
    EXPECT_EQ(message(TransportError::protocol_error, IoError::none, 0), "what the target sent is no HTTP/1.1 answer");
    EXPECT_EQ(message(TransportError::dns_failure, IoError::none, 0), "");
}

TEST(Model, EveryTransportErrorIsInOneOfTheFourTotals) {
    for (size_t i = 1; i < stats::kTransportErrors; ++i) {
        RunResult run = tests::run_sample("empty");
        run.stats.errors[i] = 3;
        EXPECT_EQ(report_of(run).socket_errors.total(), 3u) << stats::kTransportErrorNames[i];
    }
}

TEST(Model, AnswersReadAfterTheLimitAreNotInTheRate) {
    RunResult run = tests::run_sample("eight");
    run.elapsed = kSecond;
    run.stats.counters.add(Counter::drained, 3);
    EXPECT_DOUBLE_EQ(report_of(run).summary.requests_per_second, 5.0);
}

TEST(Model, WithoutAScheduleCorrectedIsService) {
    const RunResult run = tests::run_sample("closed");
    const RunReport report = report_of(run);
    EXPECT_EQ(report.corrected.p99, report.latency.p99);
    EXPECT_EQ(report.send_delay.distribution, nullptr);
    EXPECT_FALSE(report.rate.scheduled.has_value());
    EXPECT_FALSE(report.rate.requested_per_second.has_value());
}

TEST(Model, WithAScheduleTheAttainedRateIsThatOfRequestsSent) {
    const RunResult run = tests::run_sample("overload");
    const RunReport report = report_of(run);
    EXPECT_EQ(report.rate.scheduled, 200u);
    EXPECT_EQ(report.rate.issued, 20u);
    EXPECT_EQ(report.rate.skipped, 180u);
    EXPECT_NEAR(report.rate.attained_per_second, 20 / 4.02, 1e-9);
    EXPECT_NEAR(*report.rate.attainment_percent, 20 / 4.02 / 50 * 100, 1e-9);
    EXPECT_GT(*report.corrected.p99, *report.latency.p99);
}

TEST(Model, AStatusWithoutAHistogramOfItsOwnHasNoLatencies) {
    RunResult run = tests::run_sample("eight");
    run.stats.statuses[0].exact = false;
    const RunReport report = report_of(run);
    EXPECT_EQ(report.statuses[0].count, 8u);
    EXPECT_FALSE(report.statuses[0].p50_ms.has_value());
}

TEST(Model, SuccessFollowsTheRanges) {
    engine::RunSpec spec;
    spec.success_statuses = {{200, 204}, {304, 304}};
    EXPECT_TRUE(is_success(spec, 200));
    EXPECT_TRUE(is_success(spec, 204));
    EXPECT_TRUE(is_success(spec, 304));
    EXPECT_FALSE(is_success(spec, 205));
    EXPECT_FALSE(is_success(spec, 303));
}

TEST(Model, APasswordIsNeverShown) {
    EXPECT_EQ(shown_url("http://user:pa@ss@host:80/p?q=a:b@c"), "http://user:***@host:80/p?q=a:b@c");
    EXPECT_EQ(shown_url("user:secret@host/"), "user:***@host/");
    EXPECT_EQ(shown_url("http://user@host/"), "http://user@host/");
    EXPECT_EQ(shown_url("http://host:8080/a@b:c"), "http://host:8080/a@b:c");
    EXPECT_EQ(shown_url("http://[::1]:80/"), "http://[::1]:80/");
    EXPECT_EQ(shown_url(""), "");
}

}  // namespace
}  // namespace rl::report
