#include "core/report/config_tree.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "core/report/model.hpp"

namespace rl::report {
namespace {

using engine::RunSpec;
using Nodes = NodeBuilder::Nodes;

constexpr size_t kBodyShown = 4096;  // a longer body is named by its size alone

bool same_word(std::string_view a, std::string_view lower) {
    return std::equal(a.begin(), a.end(), lower.begin(), lower.end(),
                      [](char x, char y) { return (x >= 'A' && x <= 'Z' ? static_cast<char>(x + ('a' - 'A')) : x) == y; });
}

bool carries_credentials(std::string_view header) {
    constexpr std::array<std::string_view, 4> kSecret = {"authorization", "proxy-authorization", "cookie", "x-api-key"};
    return std::any_of(kSecret.begin(), kSecret.end(), [&](std::string_view name) { return same_word(header, name); });
}

std::optional<double> seconds(Nanos value) {
    if (value == 0) return std::nullopt;
    return static_cast<double>(value) / static_cast<double>(kSecond);
}

std::optional<uint64_t> unless_zero(uint64_t value) { return value == 0 ? std::nullopt : std::optional<uint64_t>(value); }

std::optional<double> rate_of(const RunSpec& spec) { return spec.rate > 0 ? std::optional<double>(spec.rate) : std::nullopt; }

std::string_view load_model(const RunSpec& spec) {
    switch (spec.load_model) {
        case engine::LoadModel::closed:
            return "closed";
        case engine::LoadModel::scheduled:
            return "scheduled";
        case engine::LoadModel::open:
            return "open";
    }
    return "closed";
}

std::string_view correction_name(engine::Correction correction) {
    switch (correction) {
        case engine::Correction::schedule:
            return "schedule";
        case engine::Correction::off:
            return "off";
        case engine::Correction::wrk:
            return "wrk";
    }
    return "schedule";
}

rl_node stages_node(NodeBuilder& b, const RunSpec& spec) {
    Nodes stages;
    for (const auto& stage : spec.stages) {
        stages.push_back(b.object(nullptr, {b.number("duration_seconds", seconds(stage.length), "s"),
                                            b.number("from", std::optional<double>(stage.from), "per_second"),
                                            b.number("to", std::optional<double>(stage.to), "per_second")}));
    }
    return b.array("stages", stages);
}

std::string_view wait_name(engine::Wait wait) {
    switch (wait) {
        case engine::Wait::automatic:
            return "auto";
        case engine::Wait::sleep:
            return "sleep";
        case engine::Wait::spin:
            return "spin";
        case engine::Wait::batch:
            return "batch";
    }
    return "auto";
}

std::string pin_text(const RunSpec& spec) {
    if (spec.pin == engine::Pin::automatic) return "auto";
    if (spec.pin == engine::Pin::none) return "none";
    std::string out;
    for (unsigned cpu : spec.pin_list) {
        if (!out.empty()) out += ',';
        out += std::to_string(cpu);
    }
    return out;
}

std::string success_text(const RunSpec& spec) {  // as --success-status takes it
    std::string out;
    for (const auto& [low, high] : spec.success_statuses) {
        if (!out.empty()) out += ',';
        out += std::to_string(low);
        if (high == low) continue;
        out += '-';
        out += std::to_string(high);
    }
    return out;
}

rl_node text_or_null(NodeBuilder& b, const char* key, const std::string& value) { return value.empty() ? b.null(key) : b.text(key, value); }

rl_node headers_node(NodeBuilder& b, const RunSpec& spec) {
    Nodes headers;
    for (const auto& [name, value] : spec.request.headers) {
        headers.push_back(b.object(nullptr, {b.text("name", name), b.text("value", carries_credentials(name) ? "***" : value)}));
    }
    return b.array("headers", headers);
}

rl_node plugin_options_node(NodeBuilder& b, const RunSpec& spec) {
    Nodes options;
    for (const auto& option : spec.plugin_options) {
        options.push_back(
            b.object(nullptr, {b.text("owner", option.owner), b.text("option", option.option), b.text("value", option.value)}));
    }
    return b.array("plugin_options", options);
}

rl_node per_connection_node(NodeBuilder& b, const RunSpec& spec) {
    if (spec.requests_per_connection_max == 0) return b.null("requests_per_connection");
    return b.object("requests_per_connection",
                    {b.count("min", spec.requests_per_connection_min), b.count("max", spec.requests_per_connection_max)});
}

rl_node plugin_path_node(NodeBuilder& b, const RunSpec& spec) {
    Nodes folders;
    for (const auto& folder : spec.plugin_path) folders.push_back(b.text(nullptr, folder));
    return b.array("plugin_path", folders);
}

}  // namespace

rl_node effective_node(NodeBuilder& b, const char* key, const RunSpec& spec) {
    const auto& request = spec.request;
    const bool body_shown = request.has_body && request.body.size() <= kBodyShown;
    const Nodes members = {
        b.text("url", shown_url(request.url)),
        b.text("method", request.method),
        b.text("target", request.target),
        b.text("authority", request.authority),
        b.text("host", spec.host),
        b.count("port", spec.port),
        headers_node(b, spec),
        body_shown ? b.text("body", request.body) : b.null("body"),
        b.count("body_bytes", request.has_body ? std::optional<uint64_t>(request.body.size()) : std::nullopt, "bytes"),
        b.boolean("keepalive", !request.close_after),
        b.count("workers", spec.workers),
        b.count("connections", spec.connections),
        b.number("duration_seconds", seconds(spec.duration), "s"),
        b.count("requests", unless_zero(spec.requests)),
        b.number("timeout_seconds", seconds(spec.timeout), "s"),
        b.count("pipeline", spec.pipeline),
        per_connection_node(b, spec),
        b.number("rate", rate_of(spec), "per_second"),
        b.text("load_model", load_model(spec)),
        stages_node(b, spec),
        b.text("arrival", spec.arrival == engine::Arrival::poisson ? "poisson" : "constant"),
        b.number("deadline_seconds", seconds(spec.deadline), "s"),
        b.number("ramp_up_seconds", seconds(spec.ramp_up), "s"),
        b.number("warmup_seconds", seconds(spec.warmup), "s"),
        b.count("warmup_requests", unless_zero(spec.warmup_requests)),
        b.text("latency_correction", correction_name(spec.correction)),
        b.text("wait", wait_name(spec.wait)),
        b.text("pin", pin_text(spec)),
        b.count("seed", spec.seed),
        b.text("success_statuses", success_text(spec)),
        b.text("backend", spec.backend),
        b.text("source", spec.source),
        text_or_null(b, "pacer", spec.pacer),
        plugin_options_node(b, spec),
        plugin_path_node(b, spec),
    };
    return b.object(key, members);
}

rl_node config_node(NodeBuilder& b, const RunSpec& spec) {
    const Nodes members = {
        b.count("workers", spec.workers),
        b.count("connections", spec.connections),
        b.count("requests", unless_zero(spec.requests)),
        b.number("duration_seconds", seconds(spec.duration), "s"),
        b.number("warmup_seconds", seconds(spec.warmup), "s"),
        b.number("rate", rate_of(spec), "per_second"),
        b.text("load_model", load_model(spec)),
        b.text("method", spec.request.method),
        b.boolean("keepalive", !spec.request.close_after),
        b.boolean("follow_redirects", false),
        b.null("max_redirects"),
        b.text("latency_correction", correction_name(spec.correction)),
        b.number("timeout_seconds", seconds(spec.timeout), "s"),
        b.null("request_timeout_seconds"),
        b.text("success_statuses", success_text(spec)),
        b.count("pipeline", spec.pipeline),
        effective_node(b, "effective", spec),
    };
    return b.object("config", members);
}

rl_node mode_node(NodeBuilder& b, const RunSpec& spec) {
    if (spec.duration > 0 && spec.requests > 0) return b.text("mode", "both");
    if (spec.duration > 0) return b.text("mode", "duration");
    if (spec.requests > 0) return b.text("mode", "requests");
    return b.null("mode");
}

}  // namespace rl::report
