#include "reporters/text/blocks.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "reporters/text/figures.hpp"
#include "reporters/text/node.hpp"

namespace rl::plugins::text {
namespace {

using Items = std::vector<std::string>;

std::string counted(uint64_t n, std::string_view noun) {
    std::string out = whole(n);
    out += ' ';
    out += noun;
    if (n != 1) out += 's';
    return out;
}

std::string labelled(std::string_view label) { return left("  " + std::string(label), Page::kLabel); }

// "200: 1,398,204 (99.9 %)"; the share only where it is not all.
std::string share_item(std::string name, const rl_node& row) {
    name += ": " + whole(count(find(row, "count")));
    const auto share = number(find(row, "percent"));
    if (share && *share < 100) name += " (" + percent(share, *share < 1 ? 2 : 1) + ")";
    return name;
}

// What was asked for. Only one source sends the request of the command line for sure; of others no more is known than where they sent.
std::string subject(const rl_node& root) {
    const rl_node& config = find(root, "config");
    const std::string source = words(find(root, "audit", "source"));
    if (source == "static_url" || source.empty()) return words(find(config, "method")) + " " + words(find(root, "title"));
    const rl_node& effective = find(config, "effective");
    const std::string host = words(find(effective, "host"));
    const std::string place = host.find(':') == std::string::npos ? host : "[" + host + "]";
    return "source " + source + " -> " + place + ":" + std::to_string(count(find(effective, "port")));
}

}  // namespace

void write_heading(Page& page, const rl_node& root) {
    const rl_node& config = find(root, "config");
    Items items = {"ringload " + words(find(root, "tool", "version")), subject(root)};
    std::string load = counted(count(find(config, "workers")), "thread") + ", " + counted(count(find(config, "connections")), "connection");
    if (const uint64_t depth = count(find(config, "pipeline")); depth > 1) load += ", pipeline " + whole(depth);
    if (const auto rate_asked = number(find(config, "rate"))) load += ", " + rate(*rate_asked) + " /s";
    if (const uint64_t limit = count(find(config, "requests")); limit > 0) load += ", " + counted(limit, "request");
    if (const auto limit = number(find(config, "duration_seconds"))) load += ", " + seconds(*limit);
    items.push_back(std::move(load));
    std::string backend = words(find(root, "audit", "backend"));
    const std::string switches = words(find(root, "audit", "switches"));
    if (!backend.empty() && !switches.empty()) backend += " (" + switches + ")";
    items.push_back(std::move(backend));
    page.heading(items);
}

void write_throughput(Page& page, const rl_node& root) {
    const rl_node& summary = find(root, "summary");
    const rl_node& transfer = find(root, "transfer");
    page.gap();
    // Answers that came in after the limit count, but are in no rate.
    const double elapsed = number(find(summary, "elapsed_seconds")).value_or(0);
    const double per_second = number(find(summary, "requests_per_second")).value_or(0);
    const uint64_t answers = count(find(summary, "responses"));
    const uint64_t in_window = std::min(answers, static_cast<uint64_t>(std::llround(per_second * elapsed)));
    Items how_many = {counted(elapsed > 0 ? in_window : answers, "answer") + " in " + seconds(elapsed)};
    if (elapsed > 0 && in_window < answers) how_many.push_back(whole(answers - in_window) + " just after the end");
    page.figure("Requests/sec", rate(per_second), how_many);
    page.figure("Transfer/sec", bytes(number(find(transfer, "received_bytes_per_second")).value_or(0)),
                {bytes(static_cast<double>(count(find(transfer, "received_bytes")))) + " received, bodies " +
                 bytes(static_cast<double>(count(find(transfer, "total_bytes"))))});

    const uint64_t by_status = count(find(summary, "failed"));
    const uint64_t in_transport = count(find(summary, "transport_errors"));
    std::string share = "of " + counted(count(find(summary, "requests")), "request");
    if (const auto failed = number(find(summary, "failure_rate_percent"))) share = percent(failed, 2) + " " + share;
    Items how = {std::move(share)};
    if (by_status > 0) how.push_back(whole(by_status) + " by status");
    if (in_transport > 0) how.push_back(whole(in_transport) + " in transport");
    const uint64_t failed = by_status + in_transport;
    page.figure("Failed", whole(failed), how, failed > 0 ? Tone::bad : Tone::plain);
    if (const uint64_t n = count(find(summary, "abandoned")); n > 0) page.figure("Abandoned", whole(n), {"without an outcome at the end"});
    if (const uint64_t n = count(find(summary, "retries")); n > 0) {
        page.figure("Retried", whole(n), {"after an idle connection was closed"});
    }
}

void write_latency(Page& page, const rl_node& root) {
    struct Row {
        std::string_view label, key;
        const rl_node* figures;
    };
    std::vector<std::pair<std::string_view, std::string_view>> shown = {{"mean", "avg"}, {"p50", "p50"}, {"p75", "p75"},    {"p90", "p90"},
                                                                        {"p95", "p95"},  {"p99", "p99"}, {"p99.9", "p999"}, {"max", "max"}};
    std::vector<Row> rows = {{"service", "latency_ms", nullptr}};
    const bool scheduled = !is_null(find(root, "schedule"));
    const std::string correction = words(find(root, "config", "latency_correction"));
    if (correction == "wrk" || (scheduled && correction != "off")) rows.push_back({"corrected", "corrected_latency_ms", nullptr});
    if (scheduled) rows.push_back({"send delay", "send_delay_ms", nullptr});
    double largest = 0;
    for (Row& row : rows) {
        row.figures = &find(root, row.key);
        largest = std::max(largest, number(find(*row.figures, "max")).value_or(0));
    }
    std::erase_if(rows, [](const Row& row) { return count(find(*row.figures, "count")) == 0; });
    if (rows.empty()) return;

    // The digits that matter are those of the first row: a send delay of nearly nothing asks for none.
    const double typical = number(find(*rows.front().figures, "p50")).value_or(0);
    const TimeUnit unit = time_unit(typical, largest);
    const size_t width = std::max<size_t>(8, columns(unit(largest)) + 2);
    for (const std::string_view dispensable : {"p75", "p95", "mean", "p90"}) {  // on a narrow terminal
        if (Page::kLabel + shown.size() * width <= page.width()) break;
        std::erase_if(shown, [&](const auto& column) { return column.first == dispensable; });
    }
    std::string head = labelled("Latency, " + std::string(unit.name));
    for (const auto& column : shown) head += right(std::string(column.first), width);
    page.gap();
    page.line(head);
    for (const Row& row : rows) {
        std::string line = labelled(row.label);
        for (const auto& column : shown) line += right(unit(number(find(*row.figures, column.second))), width);
        page.line(line);
    }
    if (const uint64_t n = count(find(root, "latency_ms", "overflow")); n > 0) {
        page.items("", {counted(n, "answer") + " took longer than 73 minutes"}, Tone::warn);
    }
}

void write_distribution(Page& page, const rl_node& root) {
    const auto bars = members(find(root, "histogram"));
    constexpr uint64_t kAnswersMin = 10;  // fewer are a list and no distribution
    double most = 0;
    uint64_t answers = 0;
    for (const rl_node& row : bars) {
        most = std::max(most, number(find(row, "percent")).value_or(0));
        answers += count(find(row, "count"));
    }
    if (bars.size() < 2 || answers < kAnswersMin) return;
    const double lowest = number(find(bars.front(), "start_ms")).value_or(0);
    const double highest = number(find(bars.back(), "end_ms")).value_or(0);
    // Edges that lie close together need the digits of one unit; those that span decades are better read each in its own.
    const TimeUnit unit = time_unit(lowest, highest);
    const auto edge_text = [&](std::optional<double> ms) {
        return "<= " + (highest > lowest * 10 ? duration_ms(ms) : unit(ms) + std::string(unit.name));
    };
    size_t edge = Page::kLabel - 1;
    for (const rl_node& row : bars) edge = std::max(edge, columns(edge_text(number(find(row, "end_ms")))) + 2);
    constexpr size_t kCount = 14;
    constexpr size_t kPercent = 9;
    const size_t space = page.width() - edge - 1 - kCount - kPercent;
    page.gap();
    if (words(find(root, "config", "latency_correction")) != "off" && !is_null(find(root, "schedule"))) {
        page.line(labelled("Corrected latency, all answers"));
    }
    for (const rl_node& row : bars) {
        const auto share = number(find(row, "percent")).value_or(0);
        page.line(right(edge_text(number(find(row, "end_ms"))), edge) + " " +
                  left(bar(most > 0 ? share / most : 0, space, page.charset()), space) + right(whole(count(find(row, "count"))), kCount) +
                  right(percent(share, 1), kPercent));
    }
}

void write_schedule(Page& page, const rl_node& root) {
    const rl_node& figures = find(root, "rate");
    const auto asked = number(find(figures, "requested_per_second"));
    const auto attained = number(find(figures, "attained_per_second"));
    const bool scheduled = !is_null(find(root, "schedule"));
    if (!asked && !scheduled) return;
    Items items;
    if (asked) items.push_back(rate(*asked) + (scheduled ? " /s asked" : " /s at most"));
    std::string reached = rate(attained.value_or(0)) + " /s attained";
    if (asked) reached += " (" + percent(number(find(figures, "attainment_percent")), 1) + ")";
    items.push_back(std::move(reached));
    if (scheduled) {
        const rl_node& schedule = find(root, "schedule");
        const auto slots = [&](const char* key) {
            const uint64_t n = count(find(schedule, key));
            return n == 0 ? std::string() : " + " + std::string(key) + ' ' + whole(n);
        };
        items.push_back("due " + whole(count(find(figures, "scheduled"))) + " = sent " + whole(count(find(figures, "issued"))) +
                        " + skipped " + whole(count(find(figures, "skipped"))) + slots("dropped") + slots("shed"));
    }
    page.items(scheduled ? "Schedule" : "Rate", items);
}

void write_outcomes(Page& page, const rl_node& root) {
    Items good;
    Items bad;
    for (const rl_node& row : members(find(root, "statuses"))) {
        (is_true(find(row, "success")) ? good : bad).push_back(share_item(whole(count(find(row, "code"))), row));
    }
    page.items("Status", good);
    page.items(good.empty() ? "Status" : "", bad, Tone::bad);

    Items errors;
    for (const rl_node& row : members(find(root, "transport_errors"))) errors.push_back(share_item(words(find(row, "category")), row));
    page.items("Errors", errors, Tone::bad);

    const rl_node& connect = find(root, "phases_ms", "connect");
    if (const uint64_t n = count(find(connect, "count")); n > 0) {
        page.items("Connect", {counted(n, "new connection"), "mean " + duration_ms(number(find(connect, "avg"))),
                               "p95 " + duration_ms(number(find(connect, "p95"))), "max " + duration_ms(number(find(connect, "max")))});
    }
    // Where answers come in one piece their first octet says nothing new.
    const rl_node& first = find(root, "phases_ms", "ttfb");
    const rl_node& total = find(root, "phases_ms", "total");
    if (count(find(first, "count")) > 0 && number(find(first, "avg")).value_or(0) < 0.9 * number(find(total, "avg")).value_or(0)) {
        page.items("First byte", {"mean " + duration_ms(number(find(first, "avg"))), "p50 " + duration_ms(number(find(first, "p50"))),
                                  "p99 " + duration_ms(number(find(first, "p99"))), "max " + duration_ms(number(find(first, "max")))});
    }
}

void write_audit(Page& page, const rl_node& root) {
    const rl_node& audit = find(root, "audit");
    if (is_null(audit)) return;
    const std::string verdict = words(find(audit, "verdict"));
    const bool valid = verdict == "valid";
    // Without an answer there is nothing that could be believed or not.
    const bool empty = valid && count(find(root, "summary", "responses")) == 0;
    page.items("Audit", {empty ? "nothing measured" : verdict, words(find(audit, "reason"))}, valid ? Tone::plain : Tone::bad);
    Items facts;
    if (const auto cpu = number(find(audit, "client_cpu_percent"))) facts.push_back("client CPU " + percent(cpu, 0));
    if (const auto stall = number(find(audit, "worst_stall_ms"))) facts.push_back("worst loop stall " + duration_ms(stall));
    facts.push_back(whole(count(find(audit, "connections_live"))) + " of " +
                    counted(count(find(audit, "connections_asked")), "connection") + " live");
    page.items("", facts);
    for (const rl_node& warning : members(find(root, "warnings"))) page.items("Warning", {words(warning)}, Tone::warn);
}

void write_verdict(Page& page, const rl_node& root) {
    const rl_node& code = find(root, "verdict", "exit_code");
    if (count(code) == 0) return;
    std::string reason = words(find(root, "verdict", "reason"));
    std::replace(reason.begin(), reason.end(), '_', ' ');
    page.items("Result", {reason + ", exit " + whole(count(code))}, Tone::bad);
}

}  // namespace rl::plugins::text
