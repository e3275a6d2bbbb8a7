#include "backends/common/sockets.hpp"

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#ifdef __linux__
#include <sys/syscall.h>
#endif
#include <unistd.h>

#include <cerrno>

namespace rl::backends {
namespace {

int new_socket(int family, Blocking blocking) noexcept {
#if defined(SOCK_CLOEXEC) && defined(SOCK_NONBLOCK)
    const int fd = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC | (blocking == Blocking::no ? SOCK_NONBLOCK : 0), 0);
    return fd < 0 ? -errno : fd;
#else
    // A fork between socket() and fcntl() would pass the descriptor on; workers run while nothing of ringload forks.
    const int fd = ::socket(family, SOCK_STREAM, 0);
    if (fd < 0) return -errno;
    if (::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0 && (blocking == Blocking::yes || ::fcntl(fd, F_SETFL, O_NONBLOCK) == 0)) return fd;
    const int error = errno;
    ::close(fd);
    return -error;
#endif
}

}  // namespace

int open_socket(const engine::Endpoint& endpoint, Blocking blocking) noexcept {
    const int fd = new_socket(endpoint.address.ss_family, blocking);
    if (fd < 0) return fd;
    // Requests are handed over whole, so there is nothing to gain from waiting for more. Sockets other than TCP refuse this; let them.
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#ifdef SO_NOSIGPIPE
    ::setsockopt(fd, SOL_SOCKET, SO_NOSIGPIPE, &on, sizeof on);
#endif
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

#ifdef __linux__
// With MSG_TRUNC a stream socket drops the octets without copying them (tcp(7)), so there is no buffer. By its number, because the
// wrappers of sanitizers take the result for octets that were written.
ssize_t discard_octets(int fd, size_t n) noexcept { return ::syscall(SYS_recvfrom, fd, nullptr, n, MSG_TRUNC, nullptr, nullptr); }

bool is_broken(int fd) noexcept {
    tcp_info info{};
    socklen_t length = sizeof info;
    return ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &length) == 0 && info.tcpi_state == TCP_CLOSE;
}
#endif

}  // namespace rl::backends
