// The three streams that a process is given, and the terminal behind them. Any thread; nothing is buffered.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/base/result.hpp"

namespace rl {

enum class Stream : uint8_t { input, output, error };

bool is_terminal(Stream stream) noexcept;

// Columns of the terminal behind the stream; 0 where it is none or does not say.
unsigned terminal_width(Stream stream) noexcept;

// Makes the terminal behind the stream follow escape sequences for colours and cursor; false if it is none or cannot.
bool enable_escapes(Stream stream) noexcept;

// All of the text as one write where the system allows it, so that lines of several threads do not mix. UTF-8. If standard error is gone
// there is nobody left to tell.
void write_standard_error(std::string_view text) noexcept;

// All of the text, UTF-8; the failure's text is the system's.
Result<void> write_standard_output(std::string_view text);

// Fails if standard output is closed or cannot be written.
Result<void> check_standard_output();

// Gives the numbers of closed standard streams to something harmless, so that no socket or file opened later gets them. Before all else.
void guard_standard_streams() noexcept;

}  // namespace rl
