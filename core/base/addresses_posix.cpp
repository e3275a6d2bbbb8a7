// Non-blocking connects and poll(2).
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "core/base/addresses.hpp"
#include "core/base/clock.hpp"

namespace rl {
namespace {

int open_without_blocking(int family) noexcept {
    const int fd = ::socket(family, SOCK_STREAM, 0);
    if (fd < 0) return fd;
    ::fcntl(fd, F_SETFD, FD_CLOEXEC);
    ::fcntl(fd, F_SETFL, O_NONBLOCK);
    return fd;
}

}  // namespace

std::vector<bool> which_accept(std::span<const SocketAddress> addresses, uint64_t time_ns) {
    std::vector<pollfd> tries;
    for (const SocketAddress& address : addresses) {
        const int fd = open_without_blocking(address.storage.ss_family);
        const bool started = fd >= 0 && (::connect(fd, address.get(), address.length) == 0 || errno == EINPROGRESS);
        if (fd >= 0 && !started) ::close(fd);
        tries.push_back({started ? fd : -1, POLLOUT, 0});
    }
    std::vector<bool> good(addresses.size(), false);
    const uint64_t until = monotonic_ns() + time_ns;
    for (auto left = std::count_if(tries.begin(), tries.end(), [](const pollfd& t) { return t.fd >= 0; }); left > 0;) {
        const uint64_t now = monotonic_ns();
        if (now >= until || ::poll(tries.data(), static_cast<nfds_t>(tries.size()), static_cast<int>((until - now) / 1'000'000) + 1) <= 0)
            break;
        for (size_t i = 0; i < tries.size(); ++i) {
            if (tries[i].fd < 0 || tries[i].revents == 0) continue;
            int error = 0;
            socklen_t length = sizeof error;
            ::getsockopt(tries[i].fd, SOL_SOCKET, SO_ERROR, &error, &length);
            good[i] = error == 0;
            ::close(tries[i].fd);
            tries[i].fd = -1;
            --left;
        }
    }
    for (const pollfd& t : tries) {
        if (t.fd >= 0) ::close(t.fd);
    }
    return good;
}

SocketLibrary::SocketLibrary() noexcept = default;
SocketLibrary::~SocketLibrary() = default;

std::string look_up_text(int status) { return status == EAI_SYSTEM ? os_text(errno) : ::gai_strerror(status); }

}  // namespace rl
