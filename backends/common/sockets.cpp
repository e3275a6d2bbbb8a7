#include "backends/common/sockets.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace rl::backends {

int open_socket(const engine::Endpoint& endpoint, Blocking blocking) noexcept {
    const int type = SOCK_STREAM | SOCK_CLOEXEC | (blocking == Blocking::no ? SOCK_NONBLOCK : 0);
    const int fd = ::socket(endpoint.address.ss_family, type, 0);
    if (fd < 0) return -errno;
    // Requests are handed over whole, so there is nothing to gain from waiting for more. Sockets other than TCP refuse this; let them.
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return fd;
}

engine::IoError error_of(int os_error) noexcept {
    using engine::IoError;
    switch (os_error) {
        case 0:
            return IoError::none;
        case ECONNREFUSED:
            return IoError::refused;
        case ECONNRESET:
        case ECONNABORTED:
        case EPIPE:
            return IoError::reset;
        case ETIMEDOUT:
            return IoError::timed_out;
        case EHOSTUNREACH:
        case ENETUNREACH:
        case EHOSTDOWN:
        case ENETDOWN:
            return IoError::unreachable;
        case EADDRNOTAVAIL:
            return IoError::no_ports;
        case EMFILE:
        case ENFILE:
            return IoError::no_files;
        case ENOMEM:
        case ENOBUFS:
            return IoError::no_memory;
        default:
            return IoError::other;
    }
}

// With MSG_TRUNC a stream socket drops the octets without copying them (tcp(7)), so there is no buffer. By its number, because the
// wrappers of sanitizers take the result for octets that were written.
ssize_t discard_octets(int fd, size_t n) noexcept { return ::syscall(SYS_recvfrom, fd, nullptr, n, MSG_TRUNC, nullptr, nullptr); }

bool is_broken(int fd) noexcept {
    tcp_info info{};
    socklen_t length = sizeof info;
    return ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 && info.tcpi_state == TCP_CLOSE;
}

}  // namespace rl::backends
