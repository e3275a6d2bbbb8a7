// Reading of option values. Everything goes through from_chars, which knows no locale.
#include "tools/serve/values.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <utility>

namespace rl::serve {
namespace {

constexpr double kLargestTimeNs = 1.0e18;
constexpr uint64_t kCpusMax = 1024;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits with at most one point, at the front of the text: from_chars alone would also take "inf", "nan" and exponents.
std::optional<std::pair<double, size_t>> leading_number(std::string_view text) {
    size_t length = 0;
    size_t points = 0;
    size_t digits = 0;
    for (; length < text.size(); ++length) {
        if (is_digit(text[length])) {
            ++digits;
        } else if (text[length] == '.' && points == 0) {
            ++points;
        } else {
            break;
        }
    }
    double value = 0;
    if (digits == 0 || std::from_chars(text.data(), text.data() + length, value).ec != std::errc()) return std::nullopt;
    return std::pair{value, length};
}

size_t leading_letters(std::string_view text) {
    size_t length = 0;
    while (length < text.size() && !is_digit(text[length]) && text[length] != '.') ++length;
    return length;
}

std::optional<double> time_unit_ns(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, double>, 6> kUnits{
        {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}, {"m", 60e9}, {"h", 3600e9}}};
    for (const auto& [name, factor] : kUnits) {
        if (unit == name) return factor;
    }
    return std::nullopt;
}

std::optional<std::pair<std::string_view, std::string_view>> split_once(std::string_view text, char separator) {
    const size_t at = text.find(separator);
    if (at == std::string_view::npos) return std::nullopt;
    return std::pair{text.substr(0, at), text.substr(at + 1)};
}

// Calls take(item) for every part between commas; false as soon as one is refused. An empty list is refused too.
template <class Take>
bool each_item(std::string_view text, Take take) {
    while (true) {
        const auto parts = split_once(text, ',');
        if (!take(parts ? parts->first : text)) return false;
        if (!parts) return true;
        text = parts->second;
    }
}

}  // namespace

std::optional<uint64_t> read_count(std::string_view text) {
    uint64_t value = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    if (text.empty() || error != std::errc() || stop != end) return std::nullopt;
    return value;
}

std::optional<int64_t> read_time(std::string_view text) {
    double total_ns = 0;
    bool first = true;
    do {
        const auto number = leading_number(text);
        if (!number) return std::nullopt;
        text.remove_prefix(number->second);
        const std::string_view unit = text.substr(0, leading_letters(text));
        text.remove_prefix(unit.size());
        const bool bare = unit.empty() && first && text.empty();
        const auto factor = bare ? std::optional(1e9) : time_unit_ns(unit);
        if (!factor) return std::nullopt;
        total_ns += number->first * *factor;
        first = false;
    } while (!text.empty());
    if (total_ns > kLargestTimeNs) return std::nullopt;
    return static_cast<int64_t>(std::llround(total_ns));
}

std::optional<uint64_t> read_size(std::string_view text) {
    constexpr std::array<std::pair<std::string_view, uint64_t>, 9> kUnits{{{"", 1},
                                                                           {"B", 1},
                                                                           {"kB", 1000},
                                                                           {"MB", 1000 * 1000},
                                                                           {"GB", 1000 * 1000 * 1000},
                                                                           {"KiB", 1ULL << 10},
                                                                           {"MiB", 1ULL << 20},
                                                                           {"GiB", 1ULL << 30},
                                                                           {"TiB", 1ULL << 40}}};
    size_t digits = 0;
    while (digits < text.size() && is_digit(text[digits])) ++digits;
    const auto number = read_count(text.substr(0, digits));
    if (!number) return std::nullopt;
    for (const auto& [name, factor] : kUnits) {
        if (text.substr(digits) != name) continue;
        if (*number > UINT64_MAX / factor / 2) return std::nullopt;
        return *number * factor;
    }
    return std::nullopt;
}

std::optional<double> read_probability(std::string_view text) {
    const bool percent = !text.empty() && text.back() == '%';
    if (percent) text.remove_suffix(1);
    const auto number = leading_number(text);
    if (!number || number->second != text.size()) return std::nullopt;
    const double value = percent ? number->first / 100.0 : number->first;
    if (value > 1.0) return std::nullopt;
    return value;
}

std::optional<int> read_status(std::string_view text) {
    const auto number = read_count(text);
    if (!number || *number < 200 || *number > 599) return std::nullopt;
    return static_cast<int>(*number);
}

std::optional<std::vector<StatusShare>> read_status_mix(std::string_view text) {
    std::vector<StatusShare> mix;
    double sum = 0;
    const bool single = text.find('=') == std::string_view::npos;
    const bool understood = each_item(text, [&](std::string_view item) {
        const auto parts = split_once(item, '=');
        const auto status = read_status(parts ? parts->first : item);
        const auto share = parts ? read_probability(parts->second) : std::optional<double>();
        if (!status || (!share && !single)) return false;
        mix.push_back({*status, share.value_or(1.0)});
        sum += mix.back().share;
        return true;
    });
    if (!understood || std::abs(sum - 1.0) > 1e-6) return std::nullopt;
    return mix;
}

std::optional<Pair> read_size_per_time(std::string_view text) {
    const auto parts = split_once(text, '/');
    if (!parts) return std::nullopt;
    const auto size = read_size(parts->first);
    const auto time = read_time(parts->second);
    if (!size || !time || *size == 0 || *time == 0) return std::nullopt;
    return Pair{*size, *time};
}

std::optional<Pair> read_count_and_time(std::string_view text) {
    const auto parts = split_once(text, ':');
    if (!parts) return std::nullopt;
    const auto count = read_count(parts->first);
    const auto time = read_time(parts->second);
    if (!count || !time || *count == 0 || *time == 0) return std::nullopt;
    return Pair{*count, *time};
}

std::optional<std::vector<int>> read_cpu_list(std::string_view text) {
    std::vector<int> cpus;
    const bool understood = each_item(text, [&](std::string_view item) {
        const auto range = split_once(item, '-');
        const auto low = read_count(range ? range->first : item);
        const auto high = range ? read_count(range->second) : low;
        if (!low || !high || *low > *high || *high >= kCpusMax) return false;
        for (uint64_t cpu = *low; cpu <= *high; ++cpu) cpus.push_back(static_cast<int>(cpu));
        return true;
    });
    if (!understood) return std::nullopt;
    return cpus;
}

}  // namespace rl::serve
