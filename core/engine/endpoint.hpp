// One address of the target, ready for the kernel. Filled in by the resolver before the workers start; immutable afterwards.
#pragma once

#include <string>

#include "core/base/socket_address.hpp"

namespace rl::engine {

struct Endpoint {
    sockaddr_storage address{};
    socklen_t length = 0;
    std::string text;  // "127.0.0.1:8080", "[::1]:8080"
};

}  // namespace rl::engine
