#include "reporters/text/figures.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rl::plugins::text {

std::string fixed(double value, int decimals) {
    char digits[352];  // the longest double is 309 digits before the point
    const auto end = std::to_chars(digits, digits + sizeof digits, value, std::chars_format::fixed, decimals);
    std::string out(digits, end.ptr);
    const size_t point = std::min(out.find('.'), out.size());
    const size_t first = out.front() == '-' ? 1 : 0;
    for (size_t at = point; at > first + 3; at -= 3) out.insert(at - 3, 1, ',');
    return out;
}

std::string whole(uint64_t value) {
    std::string out = std::to_string(value);
    for (size_t at = out.size(); at > 3; at -= 3) out.insert(at - 3, 1, ',');
    return out;
}

std::string rate(double per_second) {
    if (per_second >= 1000 || per_second == 0) return fixed(per_second, 0);
    return fixed(per_second, per_second >= 10 ? 1 : 2);
}

std::string bytes(double value) {
    constexpr std::string_view kUnits[] = {"B", "kB", "MB", "GB", "TB", "PB"};
    size_t unit = 0;
    while (value >= 999.95 && unit + 1 < std::size(kUnits)) {
        value /= 1000;
        ++unit;
    }
    std::string out = fixed(value, unit == 0 ? 0 : 1);
    out += ' ';
    out += kUnits[unit];
    return out;
}

std::string percent(std::optional<double> value, int decimals) { return value ? fixed(*value, decimals) + " %" : "-"; }

std::string duration_ms(std::optional<double> ms) {
    if (!ms) return "-";
    const auto three_digits = [](double value) { return fixed(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2); };
    if (*ms < 0.0009995) return fixed(*ms * 1e6, 0) + "ns";
    if (*ms < 0.9995) return three_digits(*ms * 1e3) + "us";
    if (*ms < 999.5) return three_digits(*ms) + "ms";
    return three_digits(*ms / 1e3) + "s";
}

std::string seconds(double value) {
    if (value > 0 && value < 1) return duration_ms(value * 1e3);
    const int decimals = value >= 100 || std::abs(value - std::round(value)) < 0.005 ? 0 : value >= 10 ? 1 : 2;
    return fixed(value, decimals) + " s";
}

std::string TimeUnit::operator()(std::optional<double> ms) const { return ms ? fixed(*ms * per_ms, decimals) : "-"; }

TimeUnit time_unit(double smallest_ms, double largest_ms) {
    constexpr double kTooMany = 100'000;  // six digits before the point are harder to read than a smaller fraction
    if (smallest_ms < 1 && largest_ms * 1e3 < kTooMany) {
        const double smallest = smallest_ms * 1e3;
        return {"us", 1e3, smallest >= 100 ? 0 : smallest >= 10 ? 1 : 2};
    }
    if (smallest_ms < 1000 && largest_ms < kTooMany) return {"ms", 1, smallest_ms >= 100 ? 1 : smallest_ms >= 1 ? 2 : 3};
    return {"s", 1e-3, smallest_ms >= 1000 ? 2 : 3};
}

size_t columns(std::string_view utf8) {
    return static_cast<size_t>(
        std::count_if(utf8.begin(), utf8.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string left(std::string text, size_t width) {
    const size_t used = columns(text);
    if (used < width) text.append(width - used, ' ');
    return text;
}

std::string right(const std::string& text, size_t width) {
    const size_t used = columns(text);
    return used < width ? std::string(width - used, ' ') + text : text;
}

std::string in_ascii(std::string_view utf8) {
    std::string out;
    for (size_t i = 0; i < utf8.size(); ++i) {
        const auto octet = static_cast<unsigned char>(utf8[i]);
        if (octet < 0x80) {
            out += utf8[i];
        } else if (octet >= 0xc0) {  // the first octet of a character
            out += utf8.substr(i, 2) == "\u00b7" ? '-' : '?';
        }
    }
    return out;
}

std::string bar(double share, size_t width, Charset charset) {
    if (charset == Charset::ascii) {
        const auto whole = std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width));
        return std::string(share > 0 ? std::max<size_t>(1, static_cast<size_t>(whole)) : 0, '#');
    }
    constexpr std::string_view kEighths[] = {"", "\u258f", "\u258e", "\u258d", "\u258c", "\u258b", "\u258a", "\u2589"};
    const double exact = std::clamp(share, 0.0, 1.0) * static_cast<double>(width) * 8;
    const auto eighths = share > 0 ? std::max<size_t>(1, static_cast<size_t>(std::lround(exact))) : 0;  // what is there is seen
    std::string out;
    for (size_t i = 0; i < eighths / 8; ++i) out += "\u2588";
    out += kEighths[eighths % 8];
    return out;
}

}  // namespace rl::plugins::text
