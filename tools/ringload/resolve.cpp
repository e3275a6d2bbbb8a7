// Numbers, words and exclusions. Each option's own rule first, in the order of the command line, then the rules between options.
#include <algorithm>
#include <array>
#include <utility>

#include "core/base/cpu.hpp"
#include "tools/ringload/habits.hpp"
#include "tools/ringload/plan.hpp"

namespace rl::cli {
namespace {

constexpr uint64_t kThreadsMax = 1024;
constexpr uint64_t kConnectionsMax = 1'000'000;
constexpr uint64_t kPipelineMax = 64;
constexpr uint64_t kRequestsMax = uint64_t{1} << 62;  // Leaves room to add to a counter without thought.
constexpr Nanos kTimeMax = 8760 * 3600 * kSecond;     // One year: sums of times cannot overflow.
constexpr double kRateMin = 1e-6, kRateMax = 1e9;     // Gaps between a nanosecond and twelve days.

template <class T>
Result<void> store(const Given& given, const Result<uint64_t>& value, T& out) {
    if (!value) {
        const std::string hint = habit_hint(given);
        return wrong_value(given, hint.empty() ? value.error().text : hint);
    }
    out = static_cast<T>(*value);
    return {};
}

enum class Zero : uint8_t { allowed, refused };

Result<void> store_time(const Given& given, Zero zero, Nanos& out) {
    const auto value = parse_duration(given.value);
    if (!value) {
        const std::string hint = habit_hint(given);
        return wrong_value(given, hint.empty() ? value.error().text : hint);
    }
    if (*value == 0 && zero == Zero::refused) return wrong_value(given, "it must be above zero");
    if (*value > kTimeMax) return wrong_value(given, "\"" + given.value + "\" is too long; the most is 8760h");
    out = *value;
    return {};
}

Result<void> store_rate(const Given& given, double& out) {
    const auto value = parse_rate(given.value);
    if (!value) {
        const std::string hint = habit_hint(given);
        return wrong_value(given, hint.empty() ? value.error().text : hint);
    }
    if (*value < kRateMin) return wrong_value(given, "\"" + given.value + "\" is too slow; the least is 0.000001/s");
    if (*value > kRateMax) return wrong_value(given, "\"" + given.value + "\" is too fast; the most is 1G/s");
    out = *value;
    return {};
}

template <class T>
using Choices = std::initializer_list<std::pair<std::string_view, T>>;

template <class T>
Result<void> store_choice(const Given& given, Choices<T> choices, T& out) {
    std::string all;
    for (const auto& [name, value] : choices) {
        if (name == given.value) {
            out = value;
            return {};
        }
        all += (all.empty() ? "" : ", ") + std::string(name);
    }
    return wrong_value(given, "\"" + given.value + "\" is none of " + all);
}

// "5" or "5:10".
Result<void> store_requests_per_connection(const Given& given, engine::RunSpec& spec) {
    constexpr uint64_t kMost = 0xffff'ffff;
    const std::string_view text = given.value;
    const size_t colon = text.find(':');
    RL_TRY(store(given, parse_count(text.substr(0, colon), 1, kMost), spec.requests_per_connection_min));
    spec.requests_per_connection_max = spec.requests_per_connection_min;
    if (colon == std::string_view::npos) return {};
    RL_TRY(store(given, parse_count(text.substr(colon + 1), 1, kMost), spec.requests_per_connection_max));
    if (spec.requests_per_connection_max >= spec.requests_per_connection_min) return {};
    return wrong_value(given, "\"" + given.value + "\" runs backwards; write the smaller number first");
}

Result<void> store_pin(const Given& given, engine::RunSpec& spec) {
    if (given.value == "auto" || given.value == "none") {
        spec.pin = given.value == "auto" ? engine::Pin::automatic : engine::Pin::none;
        spec.pin_list.clear();
        return {};
    }
    const auto list = parse_cpu_list(given.value);
    if (!list) return wrong_value(given, list.error().text + "; write auto, none, or a list as 0,2-5");
    const auto pins = listed_pins(allowed_cpus(), *list, 1);
    if (!pins) return wrong_value(given, pins.error().text);
    spec.pin = engine::Pin::list;
    spec.pin_list = *list;
    return {};
}

Result<void> store_load_option(const Given& given, engine::RunSpec& spec) {
    switch (given.spec->id) {
        case OptionId::connections:
            return store(given, parse_large_count(given.value, 1, kConnectionsMax), spec.connections);
        case OptionId::duration:
            return store_time(given, Zero::refused, spec.duration);
        case OptionId::requests:
            return store(given, parse_large_count(given.value, 1, kRequestsMax), spec.requests);
        case OptionId::rate:
            return store_rate(given, spec.rate);
        case OptionId::load_model:
            return store_choice<engine::LoadModel>(
                given,
                {{"closed", engine::LoadModel::closed}, {"scheduled", engine::LoadModel::scheduled}, {"open", engine::LoadModel::open}},
                spec.load_model);
        case OptionId::arrival:
            return store_choice<engine::Arrival>(given, {{"constant", engine::Arrival::constant}, {"poisson", engine::Arrival::poisson}},
                                                 spec.arrival);
        case OptionId::deadline:
            return store_time(given, Zero::refused, spec.deadline);
        case OptionId::ramp_up:
            return store_time(given, Zero::refused, spec.ramp_up);
        case OptionId::warmup:
            return store_time(given, Zero::refused, spec.warmup);
        case OptionId::warmup_requests:
            return store(given, parse_large_count(given.value, 1, kRequestsMax), spec.warmup_requests);
        case OptionId::latency_correction:
            return store_choice<engine::Correction>(
                given, {{"schedule", engine::Correction::schedule}, {"off", engine::Correction::off}, {"wrk", engine::Correction::wrk}},
                spec.correction);
        case OptionId::timeout:
            return store_time(given, Zero::allowed, spec.timeout);
        case OptionId::pipeline:
            return store(given, parse_count(given.value, 1, kPipelineMax), spec.pipeline);
        case OptionId::requests_per_connection:
            return store_requests_per_connection(given, spec);
        case OptionId::seed:
            return store(given, parse_count(given.value, 0, UINT64_MAX), spec.seed);
        case OptionId::threads:
            return store(given, parse_large_count(given.value, 1, kThreadsMax), spec.workers);
        case OptionId::wait:
            return store_choice<engine::Wait>(given,
                                              {{"auto", engine::Wait::automatic},
                                               {"sleep", engine::Wait::sleep},
                                               {"spin", engine::Wait::spin},
                                               {"batch", engine::Wait::batch}},
                                              spec.wait);
        case OptionId::pin:
            return store_pin(given, spec);
        default:
            return {};
    }
}

Result<void> check_load(const CommandLine& line, Plan& plan) {
    engine::RunSpec& spec = plan.spec;
    if (spec.duration == 0 && spec.requests == 0) spec.duration = 10 * kSecond;
    const Given* const per_request = line.last(OptionId::disable_keepalive);
    const Given* const per_connection = line.last(OptionId::requests_per_connection);
    if (per_request != nullptr && per_connection != nullptr) {
        return conflict(*per_request, *per_connection, "the first is one request per connection already; leave one out");
    }
    if (per_request != nullptr) spec.request.close_after = true;
    if (spec.request.close_after) {
        const Given* const pipeline = line.last(OptionId::pipeline);
        if (pipeline != nullptr && spec.pipeline > 1) {
            return wrong_value(*pipeline,
                               "pipelining needs connections that are kept; leave out --disable-keepalive and Connection: close");
        }
        if (per_connection != nullptr) return wrong_value(*per_connection, "Connection: close ends each connection after one request");
        spec.requests_per_connection_min = spec.requests_per_connection_max = 1;
    }
    return {};
}

void lower_threads(const CommandLine& line, Plan& plan) {
    engine::RunSpec& spec = plan.spec;
    if (spec.workers <= spec.connections) return;
    if (line.has(OptionId::threads)) {
        plan.warnings.push_back("Threads were lowered from " + std::to_string(spec.workers) + " to " + std::to_string(spec.connections) +
                                ": each needs a connection of its own; raise -c.");
    }
    spec.workers = spec.connections;
}

// --json, -o and --reporter name the same thing; they may agree.
Result<std::string> reporter_of(const CommandLine& line) {
    const Given* chosen = nullptr;
    std::string name;
    for (const Given& given : line.options) {
        const bool json = given.spec->id == OptionId::json;
        if (!json && given.spec->id != OptionId::output_format && given.spec->id != OptionId::reporter) continue;
        const std::string value = json ? "json" : given.value;
        if (value.empty()) return wrong_value(given, "a name is needed: text, json, quiet, or a reporter from ringload list");
        if (const std::string hint = habit_hint(given); !hint.empty()) return wrong_value(given, hint);
        if (chosen != nullptr && chosen->spec->id != given.spec->id && name != value) {
            return conflict(*chosen, given, "they ask for different reports, " + name + " and " + value + "; leave one out");
        }
        chosen = &given;
        name = value;
    }
    if (name.empty()) name = line.has(OptionId::quiet) ? "quiet" : "text";
    return name;
}

// The file itself, however its path is spelled. Symbolic links are left to the check that opens it.
std::string plain_path(std::string path) {
    while (path.starts_with("./")) path.erase(0, 2);
    return path;
}

Result<void> resolve_output(const CommandLine& line, Plan& plan) {
    auto reporter = reporter_of(line);
    if (!reporter) return reporter.error();
    plan.reporter = *reporter;
    const Given* const file = line.last(OptionId::output_file);
    std::vector<const Given*> files;                               // whatever writes one
    const bool to_stdout = file != nullptr && file->value == "-";  // as elsewhere
    if (file != nullptr && !to_stdout) files.push_back(file);
    constexpr std::pair<OptionId, std::string_view> kSide[] = {{OptionId::save, "json"}, {OptionId::hgrm, "hgrm"}};
    for (const auto& [id, kind] : kSide) {
        const Given* const side = line.last(id);
        if (side == nullptr) continue;
        if (side->value == "-") return wrong_value(*side, "a file name is needed; - is standard output for -O only");
        files.push_back(side);
        plan.side_reports.push_back({side->typed, side->value, std::string(kind)});
    }
    for (size_t i = 0; i < files.size(); ++i) {
        if (files[i]->value.empty()) return wrong_value(*files[i], "a file name is needed");
        for (size_t j = 0; j < i; ++j) {
            if (plain_path(files[i]->value) != plain_path(files[j]->value)) continue;
            return conflict(*files[j], *files[i], "both would write " + files[j]->value + "; name two files");
        }
    }
    if (file != nullptr && !to_stdout) plan.output_file = file->value;
    if (file != nullptr && plan.reporter == "quiet") {
        if (!line.has(OptionId::quiet) || line.has(OptionId::output_format) || line.has(OptionId::reporter)) {
            return wrong_value(*file, "the output format quiet writes nothing; choose another with -o");
        }
        plan.reporter = "text";
    }
    const Given* const progress = line.last(OptionId::progress);
    for (const OptionId other : {OptionId::no_progress, OptionId::quiet}) {
        if (progress != nullptr && line.has(other)) return conflict(*progress, *line.last(other), "they contradict each other");
    }
    if (progress != nullptr) plan.progress = Progress::always;
    if (line.has(OptionId::no_progress) || line.has(OptionId::quiet)) plan.progress = Progress::never;
    if (line.has(OptionId::no_color)) plan.color = Color::never;
    plan.dump_config = line.has(OptionId::dump_config);
    return {};
}

}  // namespace

Failure conflict(const Given& a, const Given& b, std::string_view why) {
    return failure(Error::usage, a.typed + " and " + b.typed + ": " + std::string(why));
}

Failure wrong_value(const Given& given, std::string_view why) {
    constexpr size_t kShown = 40;  // A body or a header may be long; enough of it is shown to be found again.
    std::string text = given.typed;
    const bool quotes_itself = why.starts_with('"');
    if (!given.value.empty() && !quotes_itself) {
        std::string value = given.value.substr(0, kShown);
        for (char& c : value) {
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
        }
        text += ' ' + value + (given.value.size() > kShown ? "..." : "");
    }
    return failure(Error::usage, text + ": " + std::string(why));
}

Result<Selection> select(const CommandLine& line) {
    Selection selection;
    auto reporter = reporter_of(line);
    if (!reporter) return reporter.error();
    selection.reporter = *reporter;
    selection.source = "static_url";
    const Given* const arrival = line.last(OptionId::arrival);
    const bool random = arrival != nullptr && arrival->value == "poisson";
    const bool paced = line.has(OptionId::rate) || line.has(OptionId::spread);
    selection.pacer = line.has(OptionId::stages) ? "stages" : !paced ? "unlimited" : random ? "poisson" : "constant";
    selection.backend = "auto";
    for (const Given& given : line.options) {
        std::string* target = nullptr;
        if (given.spec->id == OptionId::source) target = &selection.source;
        if (given.spec->id == OptionId::pacer) target = &selection.pacer;
        if (given.spec->id == OptionId::backend) target = &selection.backend;
        if (given.spec->id == OptionId::plugin_path) target = &selection.plugin_path.emplace_back();
        if (target == nullptr) continue;
        if (given.value.empty()) return wrong_value(given, "a name is needed; ringload list shows what there is");
        *target = given.value;
    }
    return selection;
}

Result<Plan> resolve(const CommandLine& line) {
    Plan plan;
    auto selection = select(line);
    if (!selection) return selection.error();
    for (const Given& given : line.options) RL_TRY(store_load_option(given, plan.spec));
    RL_TRY(resolve_output(line, plan));
    RL_TRY(resolve_request(line, plan.spec));
    RL_TRY(resolve_tls(line, plan));
    plan.spec.source = selection->source;
    plan.spec.pacer = selection->pacer;
    RL_TRY(resolve_schedule(line, plan));
    RL_TRY(check_load(line, plan));
    lower_threads(line, plan);
    plan.spec.backend = selection->backend;
    plan.spec.plugin_path = selection->plugin_path;
    plan.spec.plugin_options.insert(plan.spec.plugin_options.end(), line.plugin_options.begin(), line.plugin_options.end());
    plan.fail_on_invalid = line.has(OptionId::fail_on_invalid);
    return plan;
}

}  // namespace rl::cli
