// Listening sockets: one a worker, all on the same address.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/serve/options.hpp"

namespace rl::serve {

struct Listeners {
    std::vector<int> sockets;  // OWNS: handed on to the workers, one each
    std::string url;           // what a client is to be given
    std::string why;           // not empty: it failed, and no socket is open
};

Listeners listen_on(const Options& options);

}  // namespace rl::serve
