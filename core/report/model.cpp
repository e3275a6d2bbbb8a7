#include "core/report/model.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "core/report/error_text.hpp"

namespace rl::report {
namespace {

using engine::RunResult;
using stats::Counter;
using stats::Histogram;
using stats::TransportError;

double share_percent(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole) * 100;
}

double ms(uint64_t ns) { return static_cast<double>(ns) / 1e6; }
double ms(double ns) { return std::round(ns) / 1e6; }  // no more digits than the clock has

Summary summarise(const RunResult& run) {
    const auto& counters = run.stats.counters;
    Summary s;
    s.requests = counters.get(Counter::requests);
    s.responses = counters.get(Counter::responses);
    s.ok = counters.get(Counter::ok);
    s.failed = s.responses - std::min(s.ok, s.responses);
    s.transport_errors = run.stats.transport_errors();
    s.abandoned = counters.get(Counter::abandoned);
    s.retries = counters.get(Counter::retries);
    s.reconnects = counters.get(Counter::reconnects);
    s.connections_live = run.connections_live;
    s.elapsed_seconds = static_cast<double>(run.elapsed) / static_cast<double>(kSecond);
    const uint64_t in_window = s.responses - std::min(counters.get(Counter::drained), s.responses);
    if (run.elapsed > 0) s.requests_per_second = static_cast<double>(in_window) / s.elapsed_seconds;
    if (s.requests > 0) s.failure_rate_percent = share_percent(s.failed + s.transport_errors, s.requests);
    return s;
}

// With a schedule the attained rate is that of the requests sent, so that answers still under way at the end are no miss of the rate.
Rate rate_of(const RunResult& run, const Summary& summary) {
    Rate r;
    r.attained_per_second = summary.requests_per_second;
    if (run.spec.rate > 0) r.requested_per_second = run.spec.rate;
    if (run.has_schedule) {
        r.scheduled = run.slots_scheduled;
        r.issued = run.stats.counters.get(Counter::slots_issued);
        r.skipped = run.stats.counters.get(Counter::slots_skipped);
        r.shed = run.stats.counters.get(Counter::slots_shed);
        if (run.spec.load_model == engine::LoadModel::open) {
            r.offered = run.slots_scheduled;
            r.dropped = run.stats.counters.get(Counter::slots_dropped);
        }
        // The mean of a rate that changes, over this run.
        if (run.spec.rate == 0 && run.elapsed > 0)
            r.requested_per_second = static_cast<double>(run.slots_scheduled) / summary.elapsed_seconds;
        r.max_send_delay_ms = ms(run.stats.send_delay.max());
        // A run that is bounded by requests waits for its last answer; what it attained ends one gap behind its last request.
        double seconds = summary.elapsed_seconds;
        if (run.stop == engine::StopReason::requests && run.spec.rate > 0) {
            seconds = std::min(seconds, static_cast<double>(run.issue_span) / 1e9 + 1 / run.spec.rate);
        }
        if (seconds > 0) r.attained_per_second = static_cast<double>(*r.issued) / seconds;
    }
    if (r.requested_per_second) r.attainment_percent = r.attained_per_second / *r.requested_per_second * 100;
    return r;
}

Transfer transfer_of(const RunResult& run, const Summary& summary) {
    const auto& counters = run.stats.counters;
    Transfer t;
    t.body_bytes = counters.get(Counter::bytes_body);
    t.received_bytes = counters.get(Counter::bytes_received);
    t.sent_bytes = counters.get(Counter::bytes_sent);
    if (run.elapsed > 0) {
        t.body_per_second = static_cast<double>(t.body_bytes) / summary.elapsed_seconds;
        t.received_per_second = static_cast<double>(t.received_bytes) / summary.elapsed_seconds;
        t.sent_per_second = static_cast<double>(t.sent_bytes) / summary.elapsed_seconds;
    }
    if (summary.responses > 0) t.body_per_response = static_cast<double>(t.body_bytes) / static_cast<double>(summary.responses);
    return t;
}

std::vector<StatusRow> status_rows(const RunResult& run, uint64_t responses) {
    std::vector<StatusRow> rows;
    for (const auto& status : run.stats.statuses) {
        StatusRow row;
        row.code = status.code;
        row.count = status.count;
        row.percent = share_percent(status.count, responses);
        row.success = is_success(run.spec, status.code);
        if (status.exact && status.service.count() > 0) {
            row.avg_ms = ms(status.service.mean());
            row.p50_ms = ms(status.service.value_at(50));
            row.p95_ms = ms(status.service.value_at(95));
            row.p99_ms = ms(status.service.value_at(99));
        }
        rows.push_back(row);
    }
    return rows;
}

std::vector<ErrorRow> error_rows(const RunResult& run, uint64_t requests) {
    std::vector<ErrorRow> rows;
    for (size_t i = 0; i < stats::kTransportErrors; ++i) {
        const uint64_t n = run.stats.errors[i];
        if (n > 0)
            rows.push_back(
                {stats::kTransportErrorNames[i], n, share_percent(n, requests), error_text(run, static_cast<TransportError>(i))});
    }
    std::stable_sort(rows.begin(), rows.end(), [](const ErrorRow& a, const ErrorRow& b) { return a.count > b.count; });
    return rows;
}

SocketErrors socket_errors(const RunResult& run) {
    SocketErrors out;
    for (size_t i = 0; i < stats::kTransportErrors; ++i) {
        const uint64_t n = run.stats.errors[i];
        switch (static_cast<TransportError>(i)) {
            case TransportError::none:
            case TransportError::count_:
                break;
            case TransportError::dns_failure:
            case TransportError::connect_refused:
            case TransportError::connect_failed:
            case TransportError::tls_error:
            case TransportError::proxy_error:
                out.connect += n;
                break;
            case TransportError::connect_timeout:
            case TransportError::read_timeout:
            case TransportError::write_timeout:
            case TransportError::request_timeout:
                out.timeout += n;
                break;
            case TransportError::connection_reset:
            case TransportError::connection_closed:
            case TransportError::protocol_error:
            case TransportError::other:
                out.read += n;
                break;
        }
    }
    return out;
}

}  // namespace

bool is_success(const engine::RunSpec& spec, unsigned status) noexcept {
    return std::any_of(spec.success_statuses.begin(), spec.success_statuses.end(),
                       [status](const auto& range) { return status >= range.first && status <= range.second; });
}

std::string shown_url(std::string_view url) {
    const size_t scheme = url.find("://");
    const size_t begin = scheme == std::string_view::npos ? 0 : scheme + 3;
    const std::string_view authority = url.substr(begin, url.find_first_of("/?#", begin) - begin);
    const size_t at = authority.rfind('@');
    if (at == std::string_view::npos) return std::string(url);
    const size_t colon = authority.find(':');
    if (colon == std::string_view::npos || colon > at) return std::string(url);
    std::string out(url.substr(0, begin + colon + 1));
    out += "***";
    out += url.substr(begin + at);
    return out;
}

Latency describe(const Histogram& histogram) {
    Latency out;
    out.distribution = &histogram;
    out.count = histogram.count();
    out.overflow = histogram.overflow();
    if (out.count == 0) return out;
    out.avg = ms(histogram.mean());
    out.min = ms(histogram.min());
    out.max = ms(histogram.max());
    out.stdev = ms(histogram.stdev());
    out.p50 = ms(histogram.value_at(50));
    out.p75 = ms(histogram.value_at(75));
    out.p90 = ms(histogram.value_at(90));
    out.p95 = ms(histogram.value_at(95));
    out.p99 = ms(histogram.value_at(99));
    out.p999 = ms(histogram.value_at(99.9));
    return out;
}

std::vector<Bar> ten_bars(const Histogram& histogram) {
    constexpr size_t kBars = 10;
    const uint64_t total = histogram.count();
    if (total == 0) return {};
    const uint64_t least = histogram.min();
    const uint64_t most = histogram.max();
    if (least == most) return {{ms(least), ms(most), 100, total}};
    const double low = static_cast<double>(std::max<uint64_t>(least, 1));
    const double high = static_cast<double>(most);
    std::array<double, kBars + 1> edges;
    for (size_t i = 0; i <= kBars; ++i) edges[i] = low * std::pow(high / low, static_cast<double>(i) / kBars);
    std::array<uint64_t, kBars> counts{};
    counts[kBars - 1] = histogram.overflow();
    histogram.each([&](uint64_t from, uint64_t to, uint64_t n) {
        const double middle = (static_cast<double>(from) + static_cast<double>(to - 1)) / 2;
        const auto after = std::upper_bound(edges.begin() + 1, edges.end() - 1, middle);
        counts[static_cast<size_t>(after - (edges.begin() + 1))] += n;
    });
    std::vector<Bar> bars;
    for (size_t i = 0; i < kBars; ++i) bars.push_back({ms(edges[i]), ms(edges[i + 1]), share_percent(counts[i], total), counts[i]});
    bars.front().start_ms = ms(least);
    return bars;
}

RunReport build_report(const RunResult& run, Context context) {
    RunReport report;
    report.run = &run;
    report.context = std::move(context);
    report.title = shown_url(run.spec.request.url);
    report.summary = summarise(run);
    report.rate = rate_of(run, report.summary);
    report.transfer = transfer_of(run, report.summary);
    report.latency = describe(run.stats.service);
    report.corrected = describe(run.is_corrected() ? run.stats.corrected : run.stats.service);
    if (run.has_schedule) report.send_delay = describe(run.stats.send_delay);
    report.connect = describe(run.stats.connect);
    report.tls = describe(run.stats.tls);
    report.first_byte = describe(run.stats.first_byte);
    report.histogram = ten_bars(run.is_corrected() ? run.stats.corrected : run.stats.service);
    report.statuses = status_rows(run, report.summary.responses);
    report.transport_errors = error_rows(run, report.summary.requests);
    report.socket_errors = socket_errors(run);
    report.one_target = run.spec.source == "static_url";
    report.audit = audit(run);
    return report;
}

}  // namespace rl::report
