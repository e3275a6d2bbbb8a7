// Figures as people read them. Independent of the locale; a figure that is not there is "-".
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rl::plugins::text {

std::string fixed(double value, int decimals);                   // "1,398.20"
std::string whole(uint64_t value);                               // "1,398,204"
std::string rate(double per_second);                             // "139,820" "50.0" "0.50"
std::string bytes(double value);                                 // "212.5 MB", powers of 1000
std::string percent(std::optional<double> value, int decimals);  // "0.00 %"
std::string duration_ms(std::optional<double> ms);               // "712us" "1.31ms" "3.46s"
std::string seconds(double value);                               // "10 s" "4.02 s" "250ms"

// One unit for a whole table of latencies.
struct TimeUnit {
    std::string_view name;
    double per_ms;
    int decimals;

    std::string operator()(std::optional<double> ms) const;
};
TimeUnit time_unit(double smallest_ms, double largest_ms);

size_t columns(std::string_view utf8);  // code points: all that is printed here is one column wide
std::string left(std::string text, size_t width);
std::string right(const std::string& text, size_t width);

enum class Charset { utf8, ascii };
// share 0..1 of width columns: to an eighth of a column, or in ASCII to a whole one.
std::string bar(double share, size_t width, Charset charset);
std::string in_ascii(std::string_view utf8);  // a hyphen for the dot between items, a question mark for each other character

}  // namespace rl::plugins::text
