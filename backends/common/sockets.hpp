// Creating sockets, naming what went wrong, and what systems do differently about sockets: what every POSIX backend needs.
#pragma once

#include <sys/socket.h>
#include <sys/types.h>

#include <cstddef>

#include "core/engine/endpoint.hpp"
#include "core/engine/io_error.hpp"

namespace rl::backends {

enum class Blocking : bool { no, yes };

// A TCP socket without delay, closed on exec, and silent where the system can say that of a socket; or -errno.
int open_socket(const engine::Endpoint& endpoint, Blocking blocking) noexcept;

// SYSTEM: SOCK_CLOEXEC and SOCK_NONBLOCK go with socket() on Linux and FreeBSD; macOS has neither, so fcntl() follows.
#if defined(SOCK_CLOEXEC) && defined(SOCK_NONBLOCK)
inline constexpr bool kSocketTakesFlags = true;
#else
inline constexpr bool kSocketTakesFlags = false;
#endif

// SYSTEM: a send on a broken connection must not raise SIGPIPE. Linux and FreeBSD are told so with each send; older macOS knows only the
// socket option SO_NOSIGPIPE, which open_socket() sets wherever there is one.
#ifdef MSG_NOSIGNAL
inline constexpr int kSendQuietly = MSG_NOSIGNAL;
#else
inline constexpr int kSendQuietly = 0;
#endif
#ifdef SO_NOSIGPIPE
inline constexpr bool kQuietSockets = true;
#else
inline constexpr bool kQuietSockets = false;
#endif

// How many system calls open_socket() makes for a socket that does not block.
inline constexpr int kOpenSocketCalls = 2 + (kSocketTakesFlags ? 0 : 2) + (kQuietSockets ? 1 : 0);

engine::IoError error_of(int os_error) noexcept;

#ifdef __linux__
// Drops up to n octets of a stream unread: how many there were, 0 at its end, or -1 with errno.
// SYSTEM: elsewhere MSG_TRUNC drops nothing of a stream, and octets have to be read to be rid of them.
ssize_t discard_octets(int fd, size_t n) noexcept;

// True if a TCP connection that had been established is none any more although nobody closed it here: it was reset, or gave up.
bool is_broken(int fd) noexcept;
#endif

}  // namespace rl::backends
