// What the environment says of the screen that people read on. Control thread.
#pragma once

#include <cstdint>

namespace rl::cli {

enum class Charset : uint8_t { utf8, ascii };

// ASCII where a locale is set that is not one of UTF-8. Where none is set, as in most containers, the terminal is trusted.
Charset charset_from_environment();

unsigned columns_from_environment();  // COLUMNS; 0: not said, or no number

bool is_dumb_terminal();  // one that knows no escapes

}  // namespace rl::cli
