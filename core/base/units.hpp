// Times, sizes and rates as people write them on a command line, and back. Cold path; independent of the locale.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace rl {

using Nanos = int64_t;  // a length of time; negative only where said

inline constexpr Nanos kMicrosecond = 1'000;
inline constexpr Nanos kMillisecond = 1'000'000;
inline constexpr Nanos kSecond = 1'000'000'000;

// "500ms" "250us" "30" (seconds) "30s" "1.5s" "2m" "1h30m" "10ns". Zero is allowed, the caller refuses it where it makes no sense.
// Errors name the text and what is wrong with it: empty, no number, unknown unit, negative, too large, trailing garbage.
Result<Nanos> parse_duration(std::string_view text);

// "4096" "64KiB" "1MiB" "2GiB" "1kB" "1MB": bytes.
Result<uint64_t> parse_size(std::string_view text);

// "500" "0.5" "1k" "1.2M" "500/s" "30/m" "7200/h": per second, finite and above zero.
Result<double> parse_rate(std::string_view text);

// A whole number in min..max; a time, a fraction or a word is refused by name.
Result<uint64_t> parse_count(std::string_view text, uint64_t min, uint64_t max);
// The same, or in thousands, millions, thousand millions: "10k" "3M" "1G".
Result<uint64_t> parse_large_count(std::string_view text, uint64_t min, uint64_t max);

std::string format_duration(Nanos value);    // three significant digits: "712us" "1.31ms" "3.46s" "2m30s"
std::string format_size(uint64_t bytes);     // "212.5 MB", powers of 1000
std::string format_count(uint64_t value);    // "1,398,204"
std::string format_rate(double per_second);  // "139,820" "50.0" "0.50": digits that mean something

}  // namespace rl
