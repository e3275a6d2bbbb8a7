#include "bench/backend/echo_peer.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

#include "core/base/cpu.hpp"

namespace rl::bench {
namespace {

void need(bool worked, const char* what) {
    if (worked) return;
    std::fprintf(stderr, "echo peer: %s: %s\n", what, std::strerror(errno));
    std::exit(1);
}

// Octets that the socket does not take at once wait for it: the backend on the other side always reads, so this ends.
bool send_all(int fd, const char* octets, size_t count) noexcept {
    while (count > 0) {
        const ssize_t sent = send(fd, octets, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            octets += sent;
            count -= static_cast<size_t>(sent);
        } else if (errno == EAGAIN) {
            pollfd writable{.fd = fd, .events = POLLOUT, .revents = 0};
            poll(&writable, 1, 1000);
        } else if (errno != EINTR) {
            return false;
        }
    }
    return true;
}

}  // namespace

int listen_on_loopback(engine::Endpoint& endpoint) {
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    need(listener >= 0, "no socket");
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    need(bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0, "cannot bind");
    need(listen(listener, 4096) == 0, "cannot listen");
    endpoint.length = sizeof address;
    need(getsockname(listener, reinterpret_cast<sockaddr*>(&endpoint.address), &endpoint.length) == 0, "no port");
    std::memcpy(&address, &endpoint.address, sizeof address);
    endpoint.text = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
    return listener;
}

EchoPeer::EchoPeer(int cpu) {
    listener_ = listen_on_loopback(endpoint_);
    poller_ = epoll_create1(EPOLL_CLOEXEC);
    need(poller_ >= 0, "no epoll instance");
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = listener_;
    need(epoll_ctl(poller_, EPOLL_CTL_ADD, listener_, &event) == 0, "cannot watch the listener");
    thread_ = std::thread([this, cpu] { serve(cpu); });
}

EchoPeer::~EchoPeer() {
    stop_.store(true, std::memory_order_relaxed);  // ORDER: as declared
    thread_.join();
    close(poller_);
    close(listener_);
}

void EchoPeer::serve(int cpu) noexcept {
    // On a machine where pinning is refused the figures are worse, not wrong.
    if (cpu >= 0) (void)pin_this_thread(static_cast<unsigned>(cpu)).has_value();
    std::array<epoll_event, 256> events;
    // The backend closes its ends before this is stopped, so what is open comes to its end.
    while (!stop_.load(std::memory_order_relaxed) || open_ > 0) {  // ORDER: as declared
        const int count = epoll_wait(poller_, events.data(), static_cast<int>(events.size()), 0);
        for (int i = 0; i < count; ++i) {
            const int fd = events[static_cast<size_t>(i)].data.fd;
            if (fd != listener_) {
                echo(fd);
                continue;
            }
            const int accepted = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
            if (accepted < 0) continue;
            const int on = 1;
            setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            // Its end is a reset, so that thousands of connections leave no port that is waiting to be free again.
            const linger at_once{.l_onoff = 1, .l_linger = 0};
            setsockopt(accepted, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
            epoll_event event{};
            event.events = EPOLLIN;
            event.data.fd = accepted;
            epoll_ctl(poller_, EPOLL_CTL_ADD, accepted, &event);
            ++open_;
        }
    }
}

// One read at a time: the poller is level-triggered and says again what is left. A connection that ended is closed by the peer's end.
void EchoPeer::echo(int fd) noexcept {
    std::array<char, 65536> buffer;
    const ssize_t got = recv(fd, buffer.data(), buffer.size(), 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
    if (got > 0 && send_all(fd, buffer.data(), static_cast<size_t>(got))) return;
    close(fd);
    --open_;
}

}  // namespace rl::bench
