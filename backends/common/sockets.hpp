// Creating sockets and naming what went wrong: what every POSIX backend needs.
#pragma once

#include <sys/types.h>

#include <cstddef>

#include "core/engine/endpoint.hpp"
#include "core/engine/io_error.hpp"

namespace rl::backends {

enum class Blocking : bool { no, yes };

// A TCP socket without delay, closed on exec; or -errno.
int open_socket(const engine::Endpoint& endpoint, Blocking blocking) noexcept;

engine::IoError error_of(int os_error) noexcept;

// Drops up to n octets of a stream unread: how many there were, 0 at its end, or -1 with errno.
ssize_t discard_octets(int fd, size_t n) noexcept;

// True if a TCP connection that had been established is none any more although nobody closed it here: it was reset, or gave up.
bool is_broken(int fd) noexcept;

}  // namespace rl::backends
