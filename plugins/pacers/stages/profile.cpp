#include "pacers/stages/profile.hpp"

#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>

#include "common/slot_walk.hpp"

namespace rl::plugins {
namespace {

[[noreturn]] void refuse(std::string_view stage, const char* why) {
    throw std::invalid_argument("profile: \"" + std::string(stage) + "\": " + why + "; a stage is SECONDS:RATE or SECONDS:FROM..TO");
}

double number(std::string_view stage, std::string_view text) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0) {
        refuse(stage, "that is no time and rate");
    }
    return value;
}

Stage parse_stage(std::string_view text) {
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) refuse(text, "the rate is missing");
    Stage stage;
    stage.seconds = number(text, text.substr(0, colon));
    if (stage.seconds <= 0) refuse(text, "its time is zero");
    const std::string_view rates = text.substr(colon + 1);
    const size_t dots = rates.find("..");
    stage.from = number(text, rates.substr(0, dots));
    stage.to = dots == std::string_view::npos ? stage.from : number(text, rates.substr(dots + 2));
    return stage;
}

// x seconds into the stage, `slots` of it have passed: from x + (to - from) x^2 / (2 seconds) = slots, solved for x without the
// difference of nearly equal numbers that the usual formula has.
double seconds_into(const Stage& stage, double slots) {
    if (slots <= 0) return 0;
    const double bend = (stage.to - stage.from) / stage.seconds;
    const double root = stage.from * stage.from + 2 * bend * slots;
    return 2 * slots / (stage.from + std::sqrt(root > 0 ? root : 0));
}

uint64_t to_ns(double seconds) {
    const double ns = seconds * 1e9;
    return ns < 9.2e18 ? static_cast<uint64_t>(ns) : kNeverDue;
}

}  // namespace

std::vector<Stage> parse_profile(std::string_view text) {
    std::vector<Stage> stages;
    double slots = 0;
    for (size_t at = 0; at <= text.size();) {
        const size_t comma = std::min(text.find(',', at), text.size());
        stages.push_back(parse_stage(text.substr(at, comma - at)));
        slots += stages.back().slots();
        at = comma + 1;
    }
    if (slots <= 0 && stages.back().to <= 0) throw std::invalid_argument("profile: no stage has a rate above zero");
    return stages;
}

uint64_t ProfileCursor::reached_ns(double slots) noexcept {
    for (; stage_ < stages_->size(); ++stage_) {
        const Stage& stage = (*stages_)[stage_];
        const double here = slots - slots_before_;
        if (here < stage.slots()) return to_ns(seconds_before_ + seconds_into(stage, here));
        slots_before_ += stage.slots();
        seconds_before_ += stage.seconds;
    }
    const double rate = stages_->back().to;
    return rate > 0 ? to_ns(seconds_before_ + (slots - slots_before_) / rate) : kNeverDue;
}

}  // namespace rl::plugins
