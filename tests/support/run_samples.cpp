#include "tests/support/run_samples.hpp"

#include <algorithm>
#include <cmath>

#include "core/base/assert.hpp"

namespace rl::tests {
namespace {

using engine::MergedStats;
using engine::RunResult;
using engine::StopReason;
using stats::Counter;
using stats::TransportError;

RunResult base() {
    RunResult run;
    run.spec.request.url = "http://127.0.0.1:8080/";
    run.spec.request.authority = "127.0.0.1:8080";
    run.spec.request.headers = {{"Accept", "*/*"}};
    run.spec.host = "127.0.0.1";
    run.spec.port = 8080;
    run.spec.workers = 1;
    run.spec.connections = 100;
    run.spec.duration = 10 * kSecond;
    run.elapsed = 10 * kSecond;
    run.startup = 2 * kMillisecond;
    run.resolve = 40 * kMicrosecond;
    run.addresses = {"127.0.0.1:8080"};
    run.connections_live = run.connections_peak = 100;
    run.clock = "tsc";
    run.clock_resolution = 1;
    run.spec.pacer = "unlimited";
    run.workers.resize(1);
    run.workers[0].connections_asked = 100;
    run.workers[0].cpu_ns = 9'700'000'000;
    run.workers[0].worst_stall = 180 * kMicrosecond;
    run.workers[0].backend = "io_uring";
    run.workers[0].switches = "multishot, DEFER_TASKRUN";
    return run;
}

// Adds answers whose latencies lie evenly on a curve from low to high: most near low, few near high.
void add_answers(RunResult& run, unsigned code, uint64_t n, double low_ns, double high_ns) {
    MergedStats& s = run.stats;
    MergedStats::Status status;
    status.code = code;
    status.count = n;
    for (uint64_t i = 0; i < n; ++i) {
        const double at = (static_cast<double>(i) + 0.5) / static_cast<double>(n);
        const auto latency = static_cast<uint64_t>(low_ns + (high_ns - low_ns) * at * at * at * at * at * at);
        status.service.record(latency);
        s.service.record(latency);
    }
    s.statuses.push_back(std::move(status));
    std::sort(s.statuses.begin(), s.statuses.end(), [](const auto& a, const auto& b) { return a.code < b.code; });
    s.counters.add(Counter::requests, n);
    s.counters.add(Counter::responses, n);
    if (code >= 200 && code < 300) s.counters.add(Counter::ok, n);
    s.counters.add(Counter::bytes_received, n * 152);
    s.counters.add(Counter::bytes_body, n * 2);
    s.counters.add(Counter::bytes_sent, n * 40);
}

void add_errors(RunResult& run, TransportError error, uint64_t n) {
    run.stats.errors[static_cast<size_t>(error)] += n;
    run.stats.counters.add(Counter::requests, n);
}

void add_connects(RunResult& run, uint64_t n) {
    for (uint64_t i = 0; i < n; ++i) run.stats.connect.record(40'000 + i * 500);
}

RunResult closed() {
    RunResult run = base();
    add_answers(run, 200, 139'820, 5'500'000, 16'700'000);
    add_connects(run, 100);
    run.workers[0].syscalls = 46'000;
    run.stats.counters.add(Counter::wakes, 40'000);
    run.stats.counters.add(Counter::sleeps, 30'000);
    for (int second = 0; second < 3; ++second) {
        run.series.push_back({second * kSecond, kSecond, 13'982, 13'982, 13'982, 0, 2'125'264, 688'000, 1'310'000, 100});
    }
    return run;
}

RunResult overload() {
    RunResult run = base();
    run.spec.connections = 1;
    run.connections_live = run.connections_peak = 1;
    run.spec.duration = 4 * kSecond;
    run.elapsed = 4'020'000'000;
    run.spec.rate = 50;
    run.spec.load_model = engine::LoadModel::scheduled;
    run.spec.pacer = "constant";
    run.has_schedule = true;
    run.slots_scheduled = 200;
    add_answers(run, 200, 20, 200'300'000, 203'700'000);
    run.stats.counters.add(Counter::slots_issued, 20);
    run.stats.counters.add(Counter::slots_skipped, 180);
    for (uint64_t i = 0; i < 20; ++i) {
        const uint64_t delay = i * 180'800'000;
        run.stats.send_delay.record(delay);
        run.stats.corrected.record(delay + 200'800'000);
    }
    run.workers[0].cpu_ns = 40'000'000;
    add_connects(run, 1);
    return run;
}

RunResult mixed() {
    RunResult run = base();
    run.spec.workers = 2;
    run.spec.pipeline = 4;
    run.spec.requests = 20'000;
    run.spec.success_statuses = {{200, 299}, {304, 304}};
    run.workers.resize(2);
    run.workers[1] = run.workers[0];
    run.workers[1].index = 1;
    run.workers[1].cpu = 3;
    add_answers(run, 200, 9'000, 300'000, 90'000'000);
    add_answers(run, 404, 700, 200'000, 9'000'000);
    add_answers(run, 503, 250, 100'000, 2'000'000'000);
    add_errors(run, TransportError::request_timeout, 30);
    add_errors(run, TransportError::connection_reset, 15);
    add_errors(run, TransportError::protocol_error, 1);
    run.stats.counters.add(Counter::requests, 4);
    run.stats.counters.add(Counter::abandoned, 4);
    run.stats.counters.add(Counter::retries, 7);
    run.stats.counters.add(Counter::reconnects, 46);
    run.connections_live = 98;
    add_connects(run, 146);
    run.warnings = {
        "io_uring was passed over: io_uring_setup is not permitted here (a container's seccomp profile may forbid it); "
        "epoll is used, which costs more system calls per request",
        "3 threads were asked for and 2 are used: a thread needs a connection of its own"};
    return run;
}

RunResult unreachable() {
    RunResult run = base();
    run.stop = StopReason::gave_up;
    run.elapsed = 1'500 * kMillisecond;
    run.connections_live = run.connections_peak = 0;
    run.workers[0].cpu_ns = 3'000'000;
    add_errors(run, TransportError::connect_refused, 1'000);
    run.stats.causes[static_cast<size_t>(TransportError::connect_refused)] = engine::IoError::refused;
    return run;
}

RunResult empty() {
    RunResult run = base();
    run.stop = StopReason::interrupted;
    run.elapsed = 0;
    run.workers[0].cpu_ns = 0;
    run.connections_live = 0;
    return run;
}

RunResult few(uint64_t n) {
    RunResult run = base();
    run.spec.connections = 1;
    run.connections_live = run.connections_peak = 1;
    run.spec.duration = 0;
    run.spec.requests = n;
    run.stop = StopReason::requests;
    run.elapsed = static_cast<Nanos>(n) * 1'234'567;
    run.workers[0].cpu_ns = 100'000;
    add_answers(run, 200, n, 1'000'000, 1'400'000);
    return run;
}

RunResult foreign() {
    RunResult run = few(20);
    run.spec.source = "records";
    return run;
}

RunResult hostile() {
    RunResult run = few(8);
    const std::string bad =
        "\x1b[31m\xff\xc3(\x01\xc2\x9b"
        "0m\"\\\x7f";
    run.spec.request.url = "http://user:secret@h/" + bad;
    run.spec.request.target = "/" + bad;
    run.spec.request.method = "G" + bad;
    run.spec.request.headers = {{"Authorization", "Bearer secret"}, {"X-" + bad, bad}};
    run.spec.request.body = std::string("\0\xfe", 2);
    run.spec.request.has_body = true;
    run.workers[0].switches = bad;
    run.warnings = {bad, std::string(300, 'w')};
    run.stop = StopReason::failed;
    run.failure = bad;
    return run;
}

}  // namespace

namespace {

RunResult bare_sample(std::string_view name) {
    if (name == "closed") return closed();
    if (name == "overload") return overload();
    if (name == "mixed") return mixed();
    if (name == "unreachable") return unreachable();
    if (name == "empty") return empty();
    if (name == "one") return few(1);
    if (name == "eight") return few(8);
    if (name == "foreign") return foreign();
    RL_ASSERT(name == "hostile");
    return hostile();
}

}  // namespace

RunResult run_sample(std::string_view name) {
    RunResult run = bare_sample(name);
    run.stats.first_byte.add(run.stats.service);
    // One sample has answers that came in pieces.
    if (name == "mixed") {
        run.stats.first_byte.clear();
        for (int i = 0; i < 100; ++i) run.stats.first_byte.record(150'000);
    }
    return run;
}

const std::vector<std::string_view>& run_sample_names() {
    static const std::vector<std::string_view> kNames = {"closed", "overload", "mixed",   "unreachable", "empty",
                                                         "one",    "eight",    "foreign", "hostile"};
    return kNames;
}

}  // namespace rl::tests
