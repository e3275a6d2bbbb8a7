// One line to stderr. Cold path only; any thread. Nothing is kept between calls: who wants a threshold brings it.
#pragma once

#include <cstdint>
#include <string_view>

namespace rl {

enum class LogLevel : uint8_t { error, warning, info, debug };  // same order and numbers as rl_log_level

std::string_view level_name(LogLevel level) noexcept;  // "warning"

// Writes "ringload: LEVEL: WHO: MESSAGE" and a line end as one write, so that lines of several threads do not mix. Control
// characters in the message, line ends among them, become spaces. `who` may be empty.
void log_line(LogLevel level, std::string_view who, std::string_view message) noexcept;

}  // namespace rl
