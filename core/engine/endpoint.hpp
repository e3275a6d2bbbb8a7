// One address of the target, ready for the kernel. Filled in by the resolver before the workers start; immutable afterwards.
#pragma once

#include <sys/socket.h>

#include <string>

namespace rl::engine {

struct Endpoint {
    sockaddr_storage address{};
    socklen_t length = 0;
    std::string text;  // "127.0.0.1:8080", "[::1]:8080"
};

}  // namespace rl::engine
