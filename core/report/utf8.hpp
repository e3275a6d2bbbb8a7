// Text that may be anything (a header's value, a URL, what a target sent) made into valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace rl::report {

// Every octet that is not part of a well-formed sequence (RFC 3629) becomes U+FFFD; all else stays as it is.
std::string valid_utf8(std::string_view octets);

}  // namespace rl::report
