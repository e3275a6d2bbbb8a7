// Sockets of POSIX: what is not a call of that name.
#include <netdb.h>

#include <system_error>

#include "tools/serve/sockets.hpp"

namespace rl::serve {

int open_socket(int family) noexcept {
    const int fd = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return fd < 0 ? -errno : fd;
}

int accept_socket(int listener) noexcept { return ::accept4(listener, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC); }

std::string socket_error_text(int error) { return std::generic_category().message(error); }

std::string look_up_error_text(int error) { return ::gai_strerror(error); }

}  // namespace rl::serve
