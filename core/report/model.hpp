// The one data model of a run: everything that a report, a gate or a baseline may read, computed once from what the engine left.
//
// Plain settings are not repeated here: they are in run->spec. Ratios that have no divisor and figures that this run does not have are
// empty, never NaN. Control thread. The model borrows the RunResult it was built from, histograms included.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/run_result.hpp"
#include "core/report/audit.hpp"

namespace rl::report {

inline constexpr unsigned kSchemaVersion = 1;

struct Context {  // what a report needs to know beside the run itself
    std::string tool_version;
    int exit_code = 0;
    std::string verdict = "passed";  // passed gate_breached target_unreachable invalid interrupted terminated
};

struct Latency {  // milliseconds, to the nanosecond; empty where nothing was recorded
    uint64_t count = 0, overflow = 0;
    std::optional<double> avg, min, max, stdev, p50, p75, p90, p95, p99, p999;
    const stats::Histogram* distribution = nullptr;  // BORROWS: until the RunResult dies
};

struct Summary {
    uint64_t requests = 0, responses = 0, ok = 0, failed = 0, transport_errors = 0, abandoned = 0;
    uint64_t redirects = 0, retries = 0, reconnects = 0, connections_live = 0;
    double elapsed_seconds = 0, requests_per_second = 0;
    std::optional<double> failure_rate_percent;
};

struct Rate {  // the optional figures are there with a rate or a schedule only
    std::optional<double> requested_per_second, attainment_percent;
    double attained_per_second = 0;
    std::optional<uint64_t> scheduled, issued, skipped, shed;
    std::optional<uint64_t> offered, dropped;  // in the open model
    std::optional<double> max_send_delay_ms;
};

struct Transfer {
    uint64_t body_bytes = 0, received_bytes = 0, sent_bytes = 0;
    double body_per_second = 0, received_per_second = 0, sent_per_second = 0;
    std::optional<double> body_per_response;
};

struct Bar {
    double start_ms = 0, end_ms = 0, percent = 0;
    uint64_t count = 0;
};

struct StatusRow {
    unsigned code = 0;
    uint64_t count = 0;
    double percent = 0;
    bool success = false;
    std::optional<double> avg_ms, p50_ms, p95_ms, p99_ms;
};

struct ErrorRow {
    std::string_view category;
    uint64_t count = 0;
    double percent = 0;   // of all requests
    std::string message;  // of the first one; may be empty
};

struct SocketErrors {  // the totals that wrk prints
    uint64_t connect = 0, read = 0, write = 0, timeout = 0;
    uint64_t total() const noexcept { return connect + read + write + timeout; }
};

struct RunReport {
    const engine::RunResult* run = nullptr;  // BORROWS: for the life of the report
    Context context;
    std::string title;
    Summary summary;
    Rate rate;
    Transfer transfer;
    Latency latency, corrected, send_delay;  // corrected equals latency where nothing corrects it; send_delay is empty without a schedule
    Latency connect;                         // per new connection
    Latency tls;                             // per new connection with TLS: its handshake
    Latency first_byte;                      // per answer: until its first octet
    std::vector<Bar> histogram;              // ten bars of equal ratio width; one if all values are alike; none without answers
    std::vector<StatusRow> statuses;         // ascending by code
    std::vector<ErrorRow> transport_errors;  // the most frequent first
    SocketErrors socket_errors;
    bool one_target = false;  // every request had the method and target of the command line
    Audit audit;
};

RunReport build_report(const engine::RunResult& run, Context context);

// The URL as a report may show it: a password in it is replaced by "***".
std::string shown_url(std::string_view url);

bool is_success(const engine::RunSpec& spec, unsigned status) noexcept;
Latency describe(const stats::Histogram& histogram);
std::vector<Bar> ten_bars(const stats::Histogram& histogram);

}  // namespace rl::report
