// When requests are due: one way of saying it at a time, and what goes with it.
#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "core/base/units.hpp"
#include "tools/ringload/plan.hpp"

namespace rl::cli {
namespace {

using engine::LoadModel;

Failure wrong_stage(const Given& given, std::string_view stage, const std::string& why) {
    return wrong_value(given, "\"" + std::string(stage) + "\": " + why + "; a stage is TIME:RATE, as 10s:100, or TIME:FROM..TO");
}

// A rate of zero is a pause, or one end of a ramp.
Result<double> stage_rate(std::string_view text) {
    if (text == "0") return 0.0;
    return parse_rate(text);
}

Result<engine::Stage> parse_stage(const Given& given, std::string_view text) {
    engine::Stage stage;
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) return wrong_stage(given, text, "the rate is missing");
    const auto length = parse_duration(text.substr(0, colon));
    if (!length) return wrong_stage(given, text, length.error().text);
    if (*length == 0) return wrong_stage(given, text, "its time is zero");
    stage.length = *length;
    const std::string_view rates = text.substr(colon + 1);
    const size_t dots = rates.find("..");
    const auto from = stage_rate(rates.substr(0, dots));
    if (!from) return wrong_stage(given, text, from.error().text);
    const auto to = dots == std::string_view::npos ? from : stage_rate(rates.substr(dots + 2));
    if (!to) return wrong_stage(given, text, to.error().text);
    constexpr double kFastest = 1e9;
    if (*from > kFastest || *to > kFastest) return wrong_stage(given, text, "that is too fast; the most is 1G/s");
    stage.from = *from;
    stage.to = *to;
    return stage;
}

Result<void> parse_stages(const Given& given, engine::RunSpec& spec) {
    spec.stages.clear();
    const std::string_view text = given.value;
    constexpr Nanos kLongest = 8760 * 3600 * kSecond;
    bool moves = false;
    Nanos together = 0;
    for (size_t at = 0; at <= text.size();) {
        const size_t comma = std::min(text.find(',', at), text.size());
        auto stage = parse_stage(given, text.substr(at, comma - at));
        if (!stage) return stage.error();
        together += std::min(stage->length, kLongest + 1);
        if (together > kLongest) return wrong_value(given, "the stages are too long together; the most is 8760h");
        moves = moves || stage->from > 0 || stage->to > 0;
        spec.stages.push_back(*stage);
        at = comma + 1;
    }
    if (!moves) return wrong_value(given, "no stage has a rate above zero");
    return {};
}

std::string plain(double value) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, value);
    return error == std::errc() ? std::string(text, end) : "0";
}

// As the pacer reads it: plain numbers.
std::string profile_of(const std::vector<engine::Stage>& stages) {
    std::string out;
    for (const engine::Stage& stage : stages) {
        if (!out.empty()) out += ',';
        out += plain(static_cast<double>(stage.length) / static_cast<double>(kSecond)) + ':' + plain(stage.from);
        if (stage.to != stage.from) out += ".." + plain(stage.to);
    }
    return out;
}

// --rate, --stages and --spread each say all there is to say.
Result<void> one_pacing(const CommandLine& line) {
    const Given* first = nullptr;
    for (const OptionId id : {OptionId::rate, OptionId::stages, OptionId::spread}) {
        const Given* const given = line.last(id);
        if (given == nullptr) continue;
        if (first != nullptr) return conflict(*first, *given, "both say when requests are due; leave one out");
        first = given;
    }
    const Given* const pacer = line.last(OptionId::pacer);
    if (pacer != nullptr && first != nullptr && first->spec->id == OptionId::stages && pacer->value != "stages") {
        return conflict(*first, *pacer, "stages are the pacer stages; leave one out");
    }
    return {};
}

Result<void> spread_requests(const Given& given, engine::RunSpec& spec) {
    if (spec.requests == 0 || spec.duration == 0) return wrong_value(given, "needs -n and -d: it spreads that many over that time");
    spec.rate = static_cast<double>(spec.requests) / (static_cast<double>(spec.duration) / static_cast<double>(kSecond));
    return {};
}

// Options that make sense on a timeline only.
Result<void> check_timeline(const CommandLine& line, const engine::RunSpec& spec) {
    const bool paced = spec.rate > 0 || !spec.stages.empty() || line.has(OptionId::pacer);
    const Given* const model = line.last(OptionId::load_model);
    if (model != nullptr && spec.load_model != LoadModel::closed && !paced) {
        return wrong_value(*model, "needs a rate; add -R RATE or --stages");
    }
    const Given* const arrival = line.last(OptionId::arrival);
    const Given* const spread = line.last(OptionId::spread);
    if (spread != nullptr && spec.arrival == engine::Arrival::poisson) {
        return conflict(*spread, *arrival, "random arrivals do not add up to a number; leave one out");
    }
    if (arrival != nullptr && spec.rate == 0 && spec.stages.empty()) return wrong_value(*arrival, "needs a rate; add -R RATE or --stages");
    const Given* const deadline = line.last(OptionId::deadline);
    if (deadline == nullptr) return {};
    if (!paced) return wrong_value(*deadline, "needs a schedule; add -R RATE or --stages");
    if (model != nullptr && spec.load_model == LoadModel::closed) {
        return conflict(*deadline, *model, "in the closed model no request is late; leave one out");
    }
    return {};
}

}  // namespace

Result<void> resolve_schedule(const CommandLine& line, Plan& plan) {
    engine::RunSpec& spec = plan.spec;
    RL_TRY(one_pacing(line));
    const Given* const stages = line.last(OptionId::stages);
    if (stages != nullptr) {
        RL_TRY(parse_stages(*stages, spec));
        if (spec.duration == 0 && spec.requests == 0) {
            for (const engine::Stage& stage : spec.stages) spec.duration += stage.length;
        }
        spec.plugin_options.push_back({"stages", "profile", profile_of(spec.stages)});
        if (spec.arrival == engine::Arrival::poisson) spec.plugin_options.push_back({"stages", "arrival", "poisson"});
    }
    if (const Given* const spread = line.last(OptionId::spread)) RL_TRY(spread_requests(*spread, spec));
    RL_TRY(check_timeline(line, spec));
    plan.load_model_given = line.has(OptionId::load_model);
    if (!plan.load_model_given && (spec.rate > 0 || stages != nullptr)) spec.load_model = LoadModel::scheduled;
    const Given* const ramp = line.last(OptionId::ramp_up);
    const Nanos most = spec.duration == 0 && spec.requests == 0 ? 10 * kSecond : spec.duration;
    if (ramp != nullptr && most != 0 && spec.ramp_up >= most + spec.warmup) {
        return wrong_value(*ramp, "is as long as the run, so that some connections would never start; lengthen -d");
    }
    for (const OptionId id : {OptionId::rate, OptionId::stages, OptionId::spread}) {
        if (const Given* const given = line.last(id)) plan.rate_typed = given->typed + (given->value.empty() ? "" : " " + given->value);
    }
    if (const Given* const pacer = line.last(OptionId::pacer)) plan.pacer_typed = pacer->typed + ' ' + pacer->value;
    return {};
}

}  // namespace rl::cli
