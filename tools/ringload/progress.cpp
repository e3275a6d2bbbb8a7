// One write per line, so that it cannot be torn by other output.
#include "tools/ringload/progress.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/base/standard_streams.hpp"
#include "tools/ringload/screen.hpp"

namespace rl::cli {
namespace {

constexpr unsigned kWidthUnknown = 80, kWidthMost = 100;
constexpr size_t kBarLeast = 10, kBarMost = 32;

std::string whole_seconds(Nanos time) {
    const Nanos seconds = (time + kSecond / 2) / kSecond;
    if (seconds < 600) return std::to_string(seconds) + "s";
    return format_duration(seconds * kSecond);
}

// What the person typed is not rounded.
std::string limit_text(Nanos time) { return time % kSecond == 0 ? whole_seconds(time) : format_duration(time); }

double done(const ProgressFigures& figures) {
    double share = 0;
    if (figures.duration > 0) share = static_cast<double>(figures.at) / static_cast<double>(figures.duration);
    if (figures.requests_max > 0) {
        share = std::max(share, static_cast<double>(figures.requests) / static_cast<double>(figures.requests_max));
    }
    return std::clamp(share, 0.0, 1.0);
}

// `cells` columns, filled to an eighth of a cell, or in ASCII to a whole one.
std::string bar_of(double share, size_t cells, Bar bar) {
    if (bar == Bar::drawn_in_ascii) {
        const auto filled = static_cast<size_t>(std::lround(share * static_cast<double>(cells)));
        return std::string(filled, '#').append(cells - filled, ' ');
    }
    static constexpr std::string_view kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
    const auto eighths = static_cast<size_t>(std::lround(share * static_cast<double>(cells) * 8));
    std::string out;
    for (size_t i = 0; i < eighths / 8; ++i) out += "█";
    out += kEighths[eighths % 8];
    const size_t used = eighths / 8 + (eighths % 8 > 0 ? 1 : 0);
    return out.append(cells - used, ' ');
}

unsigned stderr_width() {
    if (const unsigned columns = columns_from_environment(); columns != 0) return std::min(columns, kWidthMost);
    const unsigned width = terminal_width(Stream::error);
    return width == 0 ? kWidthUnknown : std::min(width, kWidthMost);
}

}  // namespace

std::string progress_text(const ProgressFigures& figures, unsigned width, Bar bar, bool color) {
    std::vector<std::string> parts;
    parts.push_back("  " + whole_seconds(figures.at) + (figures.duration > 0 ? " / " + limit_text(figures.duration) : ""));
    if (figures.requests_max > 0) parts.push_back(format_count(figures.requests) + " / " + format_count(figures.requests_max));
    if (figures.at > 0) parts.push_back(format_rate(figures.per_second) + " req/s");
    if (figures.p50_ns > 0) {
        parts.push_back("p50 " + format_duration(static_cast<Nanos>(figures.p50_ns)));
        parts.push_back("p99 " + format_duration(static_cast<Nanos>(figures.p99_ns)));
    }
    const std::string failed = "failed " + format_count(figures.failed);
    parts.push_back(failed);
    std::string text;
    size_t columns = 0;  // Escapes take none.
    for (const std::string& part : parts) {
        const size_t gap = columns == 0 ? 0 : 2;
        if (columns + gap + part.size() >= width) return text;
        const bool alarm = color && figures.failed > 0 && part == failed;
        text.append(gap, ' ').append(alarm ? "\x1b[31m" + part + "\x1b[0m" : part);
        columns += gap + part.size();
    }
    const bool endless = figures.duration == 0 && figures.requests_max == 0;
    const std::string percent = std::to_string(std::lround(done(figures) * 100)) + " %";
    const size_t rest = width > columns + percent.size() + 5 ? width - columns - percent.size() - 5 : 0;
    if (endless || bar == Bar::left_out || rest < kBarLeast) return text;
    return text + "  " + bar_of(done(figures), std::min(rest, kBarMost), bar) + "  " + percent;
}

ProgressLine::ProgressLine(const Plan& plan)
    : rewritten_(!is_dumb_terminal() && enable_escapes(Stream::error)), color_(color_allowed(plan) && rewritten_) {
    enabled_ = plan.progress == Progress::always || (plan.progress == Progress::automatic && is_terminal(Stream::error));
    figures_.duration = plan.spec.duration;
    figures_.requests_max = plan.spec.requests;
}

void ProgressLine::begin() {
    if (rewritten_) show();
}

void ProgressLine::add(const engine::Sample& interval) {
    figures_.at = interval.at + interval.length;
    figures_.requests += interval.requests;
    figures_.failed += interval.responses - interval.ok + interval.errors;
    const double seconds = static_cast<double>(interval.length) / static_cast<double>(kSecond);
    figures_.per_second = seconds > 0 ? static_cast<double>(interval.responses) / seconds : 0;
    figures_.p50_ns = interval.p50_ns;
    figures_.p99_ns = interval.p99_ns;
    show();
}

void ProgressLine::show() {
    if (!enabled_) return;
    if (!rewritten_) {
        write_standard_error(progress_text(figures_, kWidthMost, Bar::left_out, false) + "\n");
        return;
    }
    const Bar bar = charset_from_environment() == Charset::utf8 ? Bar::drawn : Bar::drawn_in_ascii;
    write_standard_error("\r\x1b[K" + progress_text(figures_, stderr_width(), bar, color_));
    shown_ = true;
}

void ProgressLine::erase() {
    if (shown_) write_standard_error("\r\x1b[K");
    shown_ = false;
}

bool color_allowed(const Plan& plan) {
    const char* const no_color = std::getenv("NO_COLOR");
    return plan.color != Color::never && (no_color == nullptr || *no_color == 0) && !is_dumb_terminal();
}

}  // namespace rl::cli
