#include "core/report/tree.hpp"

#include <string_view>

#include "core/report/config_tree.hpp"
#include "core/report/hdr_encode.hpp"

namespace rl::report {
namespace {

using engine::RunResult;
using engine::StopReason;
using Nodes = NodeBuilder::Nodes;

double ms(Nanos ns) { return static_cast<double>(ns) / 1e6; }

rl_node tool_node(NodeBuilder& b, const Context& context) {
    return b.object("tool", {b.text("name", "ringload"), b.text("version", context.tool_version)});
}

rl_node summary_node(NodeBuilder& b, const Summary& s) {
    const Nodes members = {
        b.count("requests", s.requests),
        b.count("responses", s.responses),
        b.count("ok", s.ok),
        b.count("failed", s.failed),
        b.count("transport_errors", s.transport_errors),
        b.count("abandoned", s.abandoned),
        b.count("redirects", s.redirects),
        b.count("retries", s.retries),
        b.count("reconnects", s.reconnects),
        b.count("connections_live", s.connections_live),
        b.number("elapsed_seconds", s.elapsed_seconds, "s"),
        b.number("requests_per_second", s.requests_per_second, "per_second"),
        b.number("failure_rate_percent", s.failure_rate_percent, "percent"),
    };
    return b.object("summary", members);
}

rl_node rate_node(NodeBuilder& b, const Rate& r) {
    const Nodes members = {
        b.number("requested_per_second", r.requested_per_second, "per_second"),
        b.number("attained_per_second", r.attained_per_second, "per_second"),
        b.number("attainment_percent", r.attainment_percent, "percent"),
        b.count("scheduled", r.scheduled),
        b.count("issued", r.issued),
        b.count("skipped", r.skipped),
        b.number("max_send_delay_ms", r.max_send_delay_ms, "ms"),
    };
    return b.object("rate", members);
}

rl_node schedule_node(NodeBuilder& b, const RunReport& report) {
    if (!report.run->has_schedule) return b.null("schedule");
    const Rate& r = report.rate;
    const Nodes members = {
        b.number("requested_per_second", r.requested_per_second, "per_second"),
        b.number("attained_per_second", r.attained_per_second, "per_second"),
        b.number("attainment_percent", r.attainment_percent, "percent"),
        b.count("scheduled", r.scheduled),
        b.count("issued", r.issued),
        b.count("skipped", r.skipped),
        b.count("offered", r.offered),
        b.count("dropped", r.dropped),
        b.count("shed", r.shed),
        b.number("max_send_delay_ms", r.max_send_delay_ms, "ms"),
    };
    return b.object("schedule", members);
}

rl_node transfer_node(NodeBuilder& b, const Transfer& t) {
    const Nodes members = {
        b.count("total_bytes", t.body_bytes, "bytes"),
        b.number("bytes_per_response", t.body_per_response, "bytes"),
        b.number("bytes_per_second", t.body_per_second, "bytes_per_second"),
        b.count("received_bytes", t.received_bytes, "bytes"),
        b.number("received_bytes_per_second", t.received_per_second, "bytes_per_second"),
        b.count("sent_bytes", t.sent_bytes, "bytes"),
        b.number("sent_bytes_per_second", t.sent_per_second, "bytes_per_second"),
    };
    return b.object("transfer", members);
}

rl_node latency_node(NodeBuilder& b, const char* key, const Latency& l) {
    const Nodes members = {
        b.count("count", l.count),
        b.count("overflow", l.overflow),
        b.number("avg", l.avg, "ms"),
        b.number("min", l.min, "ms"),
        b.number("max", l.max, "ms"),
        b.number("stdev", l.stdev, "ms"),
        b.number("p50", l.p50, "ms"),
        b.number("p75", l.p75, "ms"),
        b.number("p90", l.p90, "ms"),
        b.number("p95", l.p95, "ms"),
        b.number("p99", l.p99, "ms"),
        b.number("p999", l.p999, "ms"),
        b.distribution("distribution", l.distribution),
    };
    return b.object(key, members);
}

rl_node phase_node(NodeBuilder& b, const char* key, const Latency& l) {
    return b.object(key,
                    {b.count("count", l.count), b.number("avg", l.avg, "ms"), b.number("min", l.min, "ms"), b.number("max", l.max, "ms"),
                     b.number("p50", l.p50, "ms"), b.number("p95", l.p95, "ms"), b.number("p99", l.p99, "ms")});
}

rl_node phases_node(NodeBuilder& b, const RunReport& report) {
    Latency dns;
    dns.count = report.run->resolve > 0 ? 1 : 0;
    if (dns.count == 1) dns.avg = dns.min = dns.max = dns.p50 = dns.p95 = dns.p99 = ms(report.run->resolve);
    return b.object("phases_ms", {phase_node(b, "dns", dns), phase_node(b, "connect", report.connect),
                                  report.run->spec.secure ? phase_node(b, "tls", report.tls) : b.null("tls"),
                                  phase_node(b, "ttfb", report.first_byte), phase_node(b, "total", report.latency)});
}

rl_node histogram_node(NodeBuilder& b, const RunReport& report) {
    Nodes bars;
    for (const Bar& bar : report.histogram) {
        bars.push_back(b.object(nullptr, {b.number("start_ms", bar.start_ms, "ms"), b.number("end_ms", bar.end_ms, "ms"),
                                          b.count("count", bar.count), b.number("percent", bar.percent, "percent")}));
    }
    return b.array("histogram", bars);
}

rl_node statuses_node(NodeBuilder& b, const RunReport& report) {
    Nodes rows;
    for (const StatusRow& row : report.statuses) {
        rows.push_back(b.object(
            nullptr, {b.count("code", row.code), b.count("count", row.count), b.number("percent", row.percent, "percent"),
                      b.boolean("success", row.success), b.number("avg_ms", row.avg_ms, "ms"), b.number("p50_ms", row.p50_ms, "ms"),
                      b.number("p95_ms", row.p95_ms, "ms"), b.number("p99_ms", row.p99_ms, "ms")}));
    }
    return b.array("statuses", rows);
}

rl_node errors_node(NodeBuilder& b, const RunReport& report) {
    Nodes rows;
    for (const ErrorRow& row : report.transport_errors) {
        rows.push_back(
            b.object(nullptr, {b.text("category", row.category), b.count("count", row.count), b.number("percent", row.percent, "percent"),
                               row.message.empty() ? b.null("message") : b.text("message", row.message)}));
    }
    return b.array("transport_errors", rows);
}

rl_node socket_errors_node(NodeBuilder& b, const SocketErrors& e) {
    return b.object("socket_errors", {b.count("connect", e.connect), b.count("read", e.read), b.count("write", e.write),
                                      b.count("timeout", e.timeout), b.count("total", e.total())});
}

// Figures are not kept per method; where there is one request only, they are those of the run.
rl_node methods_node(NodeBuilder& b, const RunReport& report) {
    if (!report.one_target) return b.null("methods");
    const Summary& s = report.summary;
    const char* method = b.keep(report.run->spec.request.method);
    return b.object("methods",
                    {b.object(method, {b.count("requests", s.requests), b.count("status_errors", s.failed),
                                       b.number("avg_ms", report.latency.avg, "ms"), b.number("min_ms", report.latency.min, "ms"),
                                       b.number("max_ms", report.latency.max, "ms"), b.number("median_ms", report.latency.p50, "ms")})});
}

rl_node uri_top_node(NodeBuilder& b, const RunReport& report) {
    if (!report.one_target) return b.null("uri_top");
    return b.array("uri_top", {b.object(nullptr, {b.text("uri", report.run->spec.request.target),
                                                  b.count("estimated_requests", report.summary.requests), b.count("maximum_error", 0)})});
}

rl_node interval_node(NodeBuilder& b, const engine::Sample& s) {
    const bool answered = s.responses > 0;
    const Nodes members = {
        b.number("at_seconds", static_cast<double>(s.at) / 1e9, "s"),
        b.number("length_seconds", static_cast<double>(s.length) / 1e9, "s"),
        b.count("requests", s.requests),
        b.count("responses", s.responses),
        b.count("ok", s.ok),
        b.count("errors", s.errors),
        b.count("bytes", s.bytes_received, "bytes"),
        answered ? b.number("p50_ms", static_cast<double>(s.p50_ns) / 1e6, "ms") : b.null("p50_ms"),
        answered ? b.number("p99_ms", static_cast<double>(s.p99_ns) / 1e6, "ms") : b.null("p99_ms"),
        b.count("connections_live", s.connections_live),
    };
    return b.object(nullptr, members);
}

rl_node series_node(NodeBuilder& b, const RunResult& run) {
    Nodes rows;
    for (const auto& sample : run.series) rows.push_back(interval_node(b, sample));
    return b.array("series", rows);
}

std::string_view stop_name(StopReason stop) {
    switch (stop) {
        case StopReason::duration:
            return "duration";
        case StopReason::requests:
            return "requests";
        case StopReason::source_ended:
            return "source_ended";
        case StopReason::gave_up:
            return "gave_up";
        case StopReason::interrupted:
            return "interrupted";
        case StopReason::terminated:
            return "terminated";
        case StopReason::failed:
            return "failed";
    }
    return "failed";
}

rl_node checks_node(NodeBuilder& b, const Audit& audit) {
    Nodes checks;
    for (const Check& check : audit.checks) {
        const bool applies = check.state != CheckState::not_applicable;
        checks.push_back(b.object(
            nullptr, {b.text("name", check.name), applies ? b.boolean("passed", check.state == CheckState::passed) : b.null("passed"),
                      b.text("detail", check.detail)}));
    }
    return b.array("checks", checks);
}

rl_node workers_node(NodeBuilder& b, const RunResult& run) {
    Nodes workers;
    for (const auto& w : run.workers) {
        const auto share =
            run.elapsed > 0 ? std::optional<double>(static_cast<double>(w.cpu_ns) / static_cast<double>(run.elapsed) * 100) : std::nullopt;
        workers.push_back(b.object(nullptr, {b.count("index", w.index), w.cpu < 0 ? b.null("cpu") : b.signed_count("cpu", w.cpu),
                                             b.count("connections", w.connections_asked), b.number("cpu_percent", share, "percent"),
                                             b.number("worst_stall_ms", ms(w.worst_stall), "ms"), b.count("syscalls", w.syscalls)}));
    }
    return b.array("workers", workers);
}

rl_node audit_node(NodeBuilder& b, const RunReport& report) {
    const Audit& audit = report.audit;
    const RunResult& run = *report.run;
    Nodes addresses;
    for (const auto& address : run.addresses) addresses.push_back(b.text(nullptr, address));
    const Nodes members = {
        b.text("verdict", verdict_name(audit.verdict)),
        b.text("reason", audit.reason),
        b.number("client_cpu_percent", audit.client_cpu_percent, "percent"),
        b.number("worst_stall_ms", audit.worst_stall_ms, "ms"),
        b.number("send_delay_p99_ms", report.send_delay.p99, "ms"),
        b.number("requested_per_second", report.rate.requested_per_second, "per_second"),
        b.number("attained_per_second", report.rate.attained_per_second, "per_second"),
        b.count("connections_asked", run.spec.connections),
        b.count("connections_live", run.connections_live),
        b.count("connections_peak", run.connections_peak),
        b.number("mean_in_flight", audit.mean_in_flight),
        b.text("backend", audit.backend),
        b.text("switches", audit.switches),
        b.text("clock", run.clock),
        b.number("clock_resolution_ns", static_cast<double>(run.clock_resolution), "ns"),
        b.count("syscalls", audit.syscalls),
        b.number("syscalls_per_request", audit.syscalls_per_request),
        b.text("source", run.spec.source),
        b.text("pacer", run.spec.pacer),
        b.array("addresses", addresses),
        b.number("startup_ms", ms(run.startup), "ms"),
        b.text("stop", stop_name(run.stop)),
        run.failure.empty() ? b.null("failure") : b.text("failure", run.failure),
        checks_node(b, audit),
        workers_node(b, run),
    };
    return b.object("audit", members);
}

rl_node encoded_node(NodeBuilder& b, const char* key, const Latency& latency) {
    return latency.distribution == nullptr ? b.null(key) : b.text(key, encode_hdr_v2(*latency.distribution));
}

rl_node histograms_node(NodeBuilder& b, const RunReport& report) {
    return b.object("histograms", {encoded_node(b, "service", report.latency), encoded_node(b, "corrected", report.corrected),
                                   encoded_node(b, "send_delay", report.send_delay)});
}

rl_node warnings_node(NodeBuilder& b, const RunResult& run) {
    Nodes warnings;
    for (const auto& warning : run.warnings) warnings.push_back(b.text(nullptr, warning));
    return b.array("warnings", warnings);
}

}  // namespace

ReportTree ReportTree::begin(const RunResult& so_far, const Context& context) {
    ReportTree tree;
    NodeBuilder& b = *tree.nodes_;
    tree.root_ = b.keep(
        b.object(nullptr, {b.count("schema_version", kSchemaVersion), tool_node(b, context),
                           b.text("title", shown_url(so_far.spec.request.url)), mode_node(b, so_far.spec), config_node(b, so_far.spec)}));
    return tree;
}

ReportTree ReportTree::sample(const engine::Sample& interval) {
    ReportTree tree;
    tree.root_ = tree.nodes_->keep(interval_node(*tree.nodes_, interval));
    return tree;
}

ReportTree ReportTree::effective(const engine::RunSpec& spec) {
    ReportTree tree;
    tree.root_ = tree.nodes_->keep(effective_node(*tree.nodes_, nullptr, spec));
    return tree;
}

ReportTree ReportTree::end(const RunReport& report) {
    ReportTree tree;
    NodeBuilder& b = *tree.nodes_;
    const RunResult& run = *report.run;
    const Nodes members = {
        b.count("schema_version", kSchemaVersion),
        tool_node(b, report.context),
        b.text("title", report.title),
        mode_node(b, run.spec),
        config_node(b, run.spec),
        summary_node(b, report.summary),
        rate_node(b, report.rate),
        transfer_node(b, report.transfer),
        latency_node(b, "latency_ms", report.latency),
        latency_node(b, "corrected_latency_ms", report.corrected),
        run.has_schedule ? latency_node(b, "send_delay_ms", report.send_delay) : b.null("send_delay_ms"),
        phases_node(b, report),
        histogram_node(b, report),
        statuses_node(b, report),
        errors_node(b, report),
        socket_errors_node(b, report.socket_errors),
        methods_node(b, report),
        uri_top_node(b, report),
        b.null("urls"),
        b.null("replay"),
        b.null("pacing"),
        schedule_node(b, report),
        b.null("comparison"),
        b.null("steps"),
        series_node(b, run),
        b.null("baseline"),
        b.null("gates"),
        audit_node(b, report),
        histograms_node(b, report),
        warnings_node(b, run),
        b.object("verdict",
                 {b.count("exit_code", static_cast<uint64_t>(report.context.exit_code)), b.text("reason", report.context.verdict)}),
    };
    tree.root_ = b.keep(b.object(nullptr, members));
    return tree;
}

}  // namespace rl::report
