// The system's stream sockets as the target uses them: never blocking, named by an int on every system.
//
// On POSIX each function is the call that it is named after. A Windows handle fits an int (the system keeps them to 32 bits for the sake of
// 32-bit programs), so that one type serves all. Shares no code with core or backends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#if defined(_WIN32)
#include <winsock2.h>
#include <ws2tcpip.h>
#else
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#endif

namespace rl::serve {

#if defined(_WIN32)
using ssize_t = std::ptrdiff_t;
struct iovec {
    void* iov_base;
    size_t iov_len;
};

inline int socket_error() noexcept { return ::WSAGetLastError(); }
inline bool would_block(int error) noexcept { return error == WSAEWOULDBLOCK; }
inline bool was_interrupted(int) noexcept { return false; }
inline bool peer_gave_up(int error) noexcept { return error == WSAECONNRESET; }  // between its knocking and our opening
inline bool out_of_means(int error) noexcept { return error == WSAEMFILE || error == WSAENOBUFS; }

ssize_t receive_some(int fd, char* octets, size_t n) noexcept;
// These two send on until nothing more is taken: only a send that was refused makes the system tell when there is room again.
ssize_t send_some(int fd, const char* octets, size_t n) noexcept;
ssize_t send_gathered(int fd, iovec* parts, size_t count) noexcept;

inline void close_socket(int fd) noexcept { ::closesocket(static_cast<SOCKET>(fd)); }
inline void end_sending(int fd) noexcept { ::shutdown(static_cast<SOCKET>(fd), SD_SEND); }
inline void set_option(int fd, int level, int name, const void* value, int size) noexcept {
    ::setsockopt(static_cast<SOCKET>(fd), level, name, static_cast<const char*>(value), size);
}
#else
inline int socket_error() noexcept { return errno; }
inline bool would_block(int error) noexcept { return error == EAGAIN; }
inline bool was_interrupted(int error) noexcept { return error == EINTR; }
inline bool peer_gave_up(int error) noexcept { return error == ECONNABORTED; }  // between its knocking and our opening
inline bool out_of_means(int error) noexcept { return error == EMFILE || error == ENFILE || error == ENOBUFS || error == ENOMEM; }

inline ssize_t receive_some(int fd, char* octets, size_t n) noexcept { return ::recv(fd, octets, n, 0); }
inline ssize_t send_some(int fd, const char* octets, size_t n) noexcept { return ::send(fd, octets, n, MSG_NOSIGNAL); }
inline ssize_t send_gathered(int fd, iovec* parts, size_t count) noexcept {
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = count;
    return ::sendmsg(fd, &message, MSG_NOSIGNAL);
}

inline void close_socket(int fd) noexcept { ::close(fd); }
inline void end_sending(int fd) noexcept { ::shutdown(fd, SHUT_WR); }
inline void set_option(int fd, int level, int name, const void* value, socklen_t size) noexcept {
    ::setsockopt(fd, level, name, value, size);
}
#endif

inline void reset_when_closed(int fd) noexcept {
    linger at_once{};
    at_once.l_onoff = 1;
    set_option(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
}

// A socket that does not block and is not inherited, or minus the error number.
int open_socket(int family) noexcept;
// The next one that knocked, or below 0 with socket_error().
int accept_socket(int listener) noexcept;

// The system's words for socket_error(), and for what getaddrinfo() returned.
std::string socket_error_text(int error);
std::string look_up_error_text(int error);

}  // namespace rl::serve
