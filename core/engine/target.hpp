// From a name to the addresses that connections go to. Control thread, before the workers start.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/engine/endpoint.hpp"

namespace rl::engine {

// Every address of the name, in the order of the system (RFC 6724), each once. Where there are several, those that accept a connection
// within a moment are kept, or all if none does: a host that listens on one of its addresses only is no reason for failures.
Result<std::vector<Endpoint>> resolve(const std::string& host, uint16_t port);

}  // namespace rl::engine
