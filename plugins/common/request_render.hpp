// A request template to finished HTTP/1.1 bytes, once, at start-up. Shared by the sources; knows only the plug-in ABI.
//
// The caller's own headers keep their order and spelling. Managed here: Host, Content-Length and Connection; User-Agent and Accept
// have defaults that a header of the same name replaces.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "ringload/plugin.h"

namespace rl::plugins {

// Start line and headers up to and including the empty line. Throws std::invalid_argument with a sentence if a part would break the
// framing: a method or header name that is no token, a blank or control character in the target, a line end in a value.
std::string render_head(const rl_request_template& request, std::string_view user_agent);

// What rl_request.flags says about every request made from this template.
uint16_t request_flags(const rl_request_template& request) noexcept;

}  // namespace rl::plugins
