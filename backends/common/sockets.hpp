// Creating sockets and naming what went wrong: what every POSIX backend needs.
#pragma once

#include "core/engine/endpoint.hpp"
#include "core/engine/io_error.hpp"

namespace rl::backends {

enum class Blocking : bool { no, yes };

// A TCP socket without delay, closed on exec; or -errno.
int open_socket(const engine::Endpoint& endpoint, Blocking blocking) noexcept;

engine::IoError error_of(int os_error) noexcept;

// True if a TCP connection that had been established is none any more although nobody closed it here: it was reset, or gave up.
bool is_broken(int fd) noexcept;

}  // namespace rl::backends
