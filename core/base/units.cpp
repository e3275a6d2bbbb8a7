// Reading and writing of times, sizes, rates and counts.
//
// Amounts are read as exact decimals (digits and scale), never through floating point, so that "1.1s" is 1,100,000,000 ns and an
// overflow is noticed. Only rates are floating point. Nothing here looks at the locale.
#include "core/base/units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <system_error>

namespace rl {
namespace {

constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }

std::string quoted(std::string_view text) {
    constexpr size_t kShown = 60;
    std::string out = "\"";
    for (const char c : text.substr(0, kShown)) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
    if (text.size() > kShown) out += "...";
    return out + '"';
}

Failure bad(std::string_view text, std::string_view why) { return failure(Error::usage, quoted(text) + ' ' + std::string(why)); }

// Takes a run of digits off the front of text.
std::string_view take_digits(std::string_view& text) {
    size_t n = 0;
    while (n < text.size() && is_digit(text[n])) ++n;
    const std::string_view digits = text.substr(0, n);
    text.remove_prefix(n);
    return digits;
}

// Takes everything up to the next digit off the front of text.
std::string_view take_unit(std::string_view& text) {
    size_t n = 0;
    while (n < text.size() && !is_digit(text[n])) ++n;
    const std::string_view unit = text.substr(0, n);
    text.remove_prefix(n);
    return unit;
}

struct Unit {
    std::string_view name;
    uint64_t scale;
};

template <size_t N>
const Unit* find_unit(const std::array<Unit, N>& units, std::string_view name) {
    for (const Unit& unit : units) {
        if (unit.name == name) return &unit;
    }
    return nullptr;
}

enum class Amount : uint8_t { ok, no_number, too_large };

// Takes "12" or "12.5" off the front of text. The digits behind the point stay text until the unit is known.
struct Decimal {
    uint64_t whole = 0;
    std::string_view fraction;
};
Amount take_decimal(std::string_view& text, Decimal& out) {
    const std::string_view whole = take_digits(text);
    if (whole.empty()) return Amount::no_number;
    const auto [end, error] = std::from_chars(whole.data(), whole.data() + whole.size(), out.whole);
    if (text.size() > 1 && text[0] == '.' && is_digit(text[1])) {
        text.remove_prefix(1);
        out.fraction = take_digits(text);
    }
    return error == std::errc() ? Amount::ok : Amount::too_large;
}

// whole.fraction times scale, rounded down to a whole number; false if it does not fit.
bool scaled(const Decimal& value, uint64_t scale, uint64_t& out) {
    if (__builtin_mul_overflow(value.whole, scale, &out)) return false;
    uint64_t numerator = 0, denominator = 1;
    for (const char c : value.fraction) {
        if (denominator > 1'000'000'000'000'000ULL) break;  // Smaller than any unit that is read here.
        denominator *= 10;
        numerator = numerator * 10 + static_cast<uint64_t>(c - '0');
    }
    // A numerator below 1e16 times a scale of up to 3.6e12 needs more than 64 bits.
    __extension__ typedef unsigned __int128 Wide;
    const auto part = static_cast<uint64_t>(static_cast<Wide>(numerator) * scale / denominator);
    return !__builtin_add_overflow(out, part, &out);
}

std::string grouped(std::string digits) {
    for (size_t at = digits.size(); at > 3;) {
        at -= 3;
        digits.insert(at, 1, ',');
    }
    return digits;
}

std::string fixed(double value, int decimals) {
    std::array<char, 512> buffer{};
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
    return error == std::errc() ? std::string(buffer.data(), end) : "n/a";
}

// value / scale with three significant digits, or without a fraction if there is none; "" if it rounds to `limit` or more.
std::string three_digits(uint64_t value, uint64_t scale, uint64_t limit) {
    if (value % scale == 0) return value / scale < limit ? std::to_string(value / scale) : "";
    const uint64_t whole = value / scale;
    const unsigned decimals = whole < 10 ? 2 : whole < 100 ? 1 : 0;
    const uint64_t grain = scale / (decimals == 2 ? 100 : decimals == 1 ? 10 : 1);
    if (grain == 0) return std::to_string(whole);
    const uint64_t grains = value / grain + (value % grain >= grain - grain / 2 ? 1 : 0);
    const uint64_t per_unit = scale / grain;
    if (grains / per_unit >= limit) return "";
    std::string out = std::to_string(grains / per_unit);
    if (decimals == 0) return out;
    if (grains / per_unit >= 100) return out;                  // 99.96 became 100.
    const bool grown = whole < 10 && grains / per_unit >= 10;  // 9.996 became 10.0.
    std::string part = std::to_string(grains % per_unit);
    part.insert(0, decimals - part.size(), '0');
    if (grown) part.resize(1);
    return out + '.' + part;
}

constexpr std::string_view kDurationForms = "; times are written like 250us, 500ms, 30s, 1.5s, 2m or 1h30m";
constexpr std::string_view kSizeForms = "; sizes are written like 4096, 64KiB, 1MiB or 1MB";
constexpr std::string_view kRateForms = "; rates are written like 500, 0.5, 1k, 1.2M, 500/s or 30/m";

Failure bad_form(std::string_view text, std::string why, std::string_view forms) { return bad(text, why + std::string(forms)); }

}  // namespace

Result<Nanos> parse_duration(std::string_view text) {
    static constexpr std::array<Unit, 6> kUnits = {
        {{"h", 3'600'000'000'000}, {"m", 60'000'000'000}, {"s", 1'000'000'000}, {"ms", 1'000'000}, {"us", 1'000}, {"ns", 1}}};
    if (text.empty()) return bad_form(text, "is empty", kDurationForms);
    if (text[0] == '-') return bad(text, "is negative; a time is zero or more");
    std::string_view rest = text;
    uint64_t total = 0;
    uint64_t scale_before = std::numeric_limits<uint64_t>::max();
    while (!rest.empty()) {
        Decimal value;
        const Amount amount = take_decimal(rest, value);
        if (amount == Amount::no_number) return bad_form(text, "is not a time", kDurationForms);
        if (amount == Amount::too_large) return bad(text, "is too large for a time");
        const std::string_view name = take_unit(rest);
        const bool bare = name.empty() && total == 0 && scale_before == std::numeric_limits<uint64_t>::max();
        const Unit* unit = bare ? &kUnits[2] : find_unit(kUnits, name);
        if (unit == nullptr && name.empty()) return bad_form(text, "has a number without a unit", kDurationForms);
        if (unit == nullptr) return bad_form(text, "has the unknown unit " + quoted(name), kDurationForms);
        if (unit->scale >= scale_before) return bad_form(text, "has its units out of order", kDurationForms);
        scale_before = unit->scale;
        uint64_t part = 0;
        if (!scaled(value, unit->scale, part) || __builtin_add_overflow(total, part, &total) ||
            total > static_cast<uint64_t>(std::numeric_limits<Nanos>::max())) {
            return bad(text, "is too large for a time");
        }
        const bool nonzero = value.fraction.find_first_not_of('0') != std::string_view::npos;
        if (part == 0 && nonzero) return bad(text, "is less than a nanosecond");
    }
    return static_cast<Nanos>(total);
}

Result<uint64_t> parse_size(std::string_view text) {
    static constexpr std::array<Unit, 8> kUnits = {{{"", 1},
                                                    {"B", 1},
                                                    {"kB", 1'000},
                                                    {"MB", 1'000'000},
                                                    {"GB", 1'000'000'000},
                                                    {"KiB", 1ULL << 10},
                                                    {"MiB", 1ULL << 20},
                                                    {"GiB", 1ULL << 30}}};
    if (text.empty()) return bad_form(text, "is empty", kSizeForms);
    if (text[0] == '-') return bad(text, "is negative; a size is zero or more");
    std::string_view rest = text;
    Decimal value;
    const Amount amount = take_decimal(rest, value);
    if (amount == Amount::no_number) return bad_form(text, "is not a size", kSizeForms);
    if (amount == Amount::too_large) return bad(text, "is too large for a size");
    const Unit* unit = find_unit(kUnits, rest);
    if (unit == nullptr) return bad_form(text, "has the unknown unit " + quoted(rest), kSizeForms);
    if (unit->scale == 1 && !value.fraction.empty()) return bad(text, "is not a whole number of bytes");
    uint64_t bytes = 0;
    if (!scaled(value, unit->scale, bytes)) return bad(text, "is too large for a size");
    return bytes;
}

Result<double> parse_rate(std::string_view text) {
    if (text.empty()) return bad_form(text, "is empty", kRateForms);
    if (text[0] == '-') return bad(text, "is negative; a rate is above zero");
    if (!is_digit(text[0])) return bad_form(text, "is not a rate", kRateForms);
    double value = 0;
    const char* const last = text.data() + text.size();
    const auto [end, error] = std::from_chars(text.data(), last, value, std::chars_format::fixed);
    if (error != std::errc()) return bad(text, "is out of range for a rate");
    std::string_view rest(end, static_cast<size_t>(last - end));
    if (end[-1] == '.') return bad_form(text, "ends its number with a point", kRateForms);
    const std::string_view unit = rest;
    static constexpr std::string_view kMultiples = "kMG";
    if (!rest.empty()) {
        if (const size_t at = kMultiples.find(rest[0]); at != std::string_view::npos) {
            for (size_t i = 0; i <= at; ++i) value *= 1e3;
            rest.remove_prefix(1);
        }
    }
    if (rest == "/m") {
        value /= 60;
    } else if (rest == "/h") {
        value /= 3600;
    } else if (!rest.empty() && rest != "/s") {
        return bad_form(text, "has the unknown unit " + quoted(unit), kRateForms);
    }
    if (value == 0) return bad(text, "is zero; a rate is above zero");
    if (!std::isfinite(value)) return bad(text, "is out of range for a rate");
    return value;
}

Result<uint64_t> parse_count(std::string_view text, uint64_t min, uint64_t max) {
    if (text.empty()) return bad(text, "is empty; a whole number is needed");
    std::string_view rest = text;
    const std::string_view digits = take_digits(rest);
    if (digits.empty() || !rest.empty()) {
        if (text[0] == '-') return bad(text, "is negative; the least is " + std::to_string(min));
        if (digits.empty()) return bad(text, "is not a whole number");
        if (parse_duration(text) && rest[0] != '.') return bad(text, "is a time, not a whole number");
        if (rest.size() > 1 && rest[0] == '.') return bad(text, "is a fraction, not a whole number");
        return bad(text, "is not a whole number");
    }
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || value > max) return bad(text, "is too large; the most is " + std::to_string(max));
    if (value < min) return bad(text, "is too small; the least is " + std::to_string(min));
    return value;
}

Result<uint64_t> parse_large_count(std::string_view text, uint64_t min, uint64_t max) {
    static constexpr std::array<Unit, 3> kMultiples = {{{"k", 1'000}, {"M", 1'000'000}, {"G", 1'000'000'000}}};
    std::string_view rest = text;
    Decimal value;
    const bool number = take_decimal(rest, value) == Amount::ok && value.fraction.empty();
    const Unit* const unit = number ? find_unit(kMultiples, rest) : nullptr;
    if (unit == nullptr) return parse_count(text, min, max);
    uint64_t count = 0;
    if (!scaled(value, unit->scale, count) || count > max) return bad(text, "is too large; the most is " + std::to_string(max));
    if (count < min) return bad(text, "is too small; the least is " + std::to_string(min));
    return count;
}

std::string format_duration(Nanos value) {
    const std::string sign = value < 0 ? "-" : "";
    const uint64_t ns = value < 0 ? uint64_t{0} - static_cast<uint64_t>(value) : static_cast<uint64_t>(value);
    if (ns < 1000) return sign + std::to_string(ns) + "ns";
    static constexpr std::array<Unit, 2> kUnits = {{{"us", 1'000}, {"ms", 1'000'000}}};
    for (const Unit& unit : kUnits) {
        if (ns >= unit.scale * 1000) continue;
        const std::string digits = three_digits(ns, unit.scale, 1000);
        if (!digits.empty()) return sign + digits + std::string(unit.name);
    }
    if (ns < 60'000'000'000) {
        const std::string digits = three_digits(ns, 1'000'000'000, 60);
        if (!digits.empty()) return sign + digits + "s";
    }
    const uint64_t seconds = ns / 1'000'000'000 + (ns % 1'000'000'000 >= 500'000'000 ? 1 : 0);
    const uint64_t hours = seconds / 3600, minutes = seconds / 60 % 60;
    if (hours > 0) return sign + std::to_string(hours) + "h" + (minutes > 0 ? std::to_string(minutes) + "m" : "");
    return sign + std::to_string(minutes) + "m" + (seconds % 60 > 0 ? std::to_string(seconds % 60) + "s" : "");
}

std::string format_size(uint64_t bytes) {
    if (bytes < 1000) return std::to_string(bytes) + " B";
    static constexpr std::array<std::string_view, 6> kNames = {" kB", " MB", " GB", " TB", " PB", " EB"};
    uint64_t scale = 1000;
    for (size_t i = 0;; ++i, scale *= 1000) {
        const uint64_t tenths = bytes / (scale / 10) + (bytes % (scale / 10) >= scale / 20 ? 1 : 0);
        if (tenths < 10'000 || i + 1 == kNames.size()) {
            return std::to_string(tenths / 10) + '.' + std::to_string(tenths % 10) + std::string(kNames[i]);
        }
    }
}

std::string format_count(uint64_t value) { return grouped(std::to_string(value)); }

std::string format_rate(double per_second) {
    if (!std::isfinite(per_second)) return "n/a";
    const double size = std::fabs(per_second);
    if (size >= 999.95) {
        const std::string digits = fixed(size, 0);
        return std::string(per_second < 0 ? "-" : "").append(grouped(digits));
    }
    if (size >= 9.995) return fixed(per_second, 1);
    if (size >= 0.1 || size == 0) return fixed(per_second, 2);
    return fixed(per_second, size >= 0.01 ? 3 : 4);
}

}  // namespace rl
