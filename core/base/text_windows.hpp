// Windows alone: text is UTF-8 everywhere inside, and wide at the system's edge. Octets that are no UTF-8 become U+FFFD.
#pragma once

#include <string>
#include <string_view>

namespace rl {

std::wstring wide(std::string_view text);
std::string narrow(std::wstring_view text);

}  // namespace rl
