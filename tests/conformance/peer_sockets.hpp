// Stream sockets as the peers of conformance tests need them, whatever the system calls them: never blocking, never inherited.
//
// Shares no code with the backends, so that no fault of theirs can hide here.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/socket_address.hpp"

#if !defined(_WIN32)
#include <fcntl.h>
#include <netinet/tcp.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace rl::conformance {

#if defined(_WIN32)
using Socket = SOCKET;
inline constexpr Socket kNoSocket = INVALID_SOCKET;
inline void close_socket(Socket socket) noexcept { ::closesocket(socket); }
inline bool would_block() noexcept { return ::WSAGetLastError() == WSAEWOULDBLOCK; }
inline void set_option(Socket socket, int level, int name, const void* value, int length) noexcept {
    ::setsockopt(socket, level, name, static_cast<const char*>(value), length);
}
inline bool settle(Socket socket) noexcept {
    u_long on = 1;
    return ::ioctlsocket(socket, FIONBIO, &on) == 0;
}
inline constexpr int kEndOfSending = SD_SEND, kQuiet = 0;
#else
using Socket = int;
inline constexpr Socket kNoSocket = -1;
inline void close_socket(Socket socket) noexcept { ::close(socket); }
inline bool would_block() noexcept { return errno == EAGAIN || errno == EWOULDBLOCK; }
inline void set_option(Socket socket, int level, int name, const void* value, socklen_t length) noexcept {
    ::setsockopt(socket, level, name, value, length);
}
inline bool settle(Socket socket) noexcept {
#ifdef SO_NOSIGPIPE
    const int on = 1;
    set_option(socket, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
    return ::fcntl(socket, F_SETFL, O_NONBLOCK) == 0 && ::fcntl(socket, F_SETFD, FD_CLOEXEC) == 0;
}
inline constexpr int kEndOfSending = SHUT_WR;
#ifdef MSG_NOSIGNAL
inline constexpr int kQuiet = MSG_NOSIGNAL;
#else
inline constexpr int kQuiet = 0;
#endif
#endif

// kNoSocket if this machine has no such family.
inline Socket open_socket(int family, int type = SOCK_STREAM) noexcept {
    const Socket socket = ::socket(family, type, 0);
    if (socket == kNoSocket || settle(socket)) return socket;
    close_socket(socket);
    return kNoSocket;
}

// The next one that knocked, or kNoSocket.
inline Socket accept_from(Socket listener) noexcept {
    const Socket socket = ::accept(listener, nullptr, nullptr);
    if (socket == kNoSocket) return kNoSocket;
    const int on = 1;
    set_option(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (settle(socket)) return socket;
    close_socket(socket);
    return kNoSocket;
}

// How many octets went; below 0: none, and would_block() says whether to try again.
inline std::ptrdiff_t send_some(Socket socket, const char* octets, size_t n) noexcept {
#if defined(_WIN32)
    return ::send(socket, octets, static_cast<int>(n), kQuiet);
#else
    return ::send(socket, octets, n, kQuiet);
#endif
}
// How many octets came; 0 at the end; below 0 as above.
inline std::ptrdiff_t receive_some(Socket socket, char* octets, size_t n) noexcept {
#if defined(_WIN32)
    return ::recv(socket, octets, static_cast<int>(n), 0);
#else
    return ::recv(socket, octets, n, 0);
#endif
}

}  // namespace rl::conformance
