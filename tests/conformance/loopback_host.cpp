#include "tests/conformance/loopback_host.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/base/assert.hpp"
#include "core/base/clock.hpp"

namespace rl::conformance {

namespace {

engine::Endpoint loopback_endpoint(Family family, uint16_t port) {
    engine::Endpoint endpoint;
    if (family == Family::ipv4) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        std::memcpy(&endpoint.address, &address, sizeof address);
        endpoint.length = sizeof address;
        endpoint.text = "127.0.0.1:" + std::to_string(port);
    } else {
        sockaddr_in6 address{};
        address.sin6_family = AF_INET6;
        address.sin6_port = htons(port);
        address.sin6_addr = in6addr_loopback;
        std::memcpy(&endpoint.address, &address, sizeof address);
        endpoint.length = sizeof address;
        endpoint.text = "[::1]:" + std::to_string(port);
    }
    return endpoint;
}

// A bound socket and where it is; -1 if this machine has no such address.
int bound_socket(Family family, engine::Endpoint& endpoint) {
    const int domain = family == Family::ipv4 ? AF_INET : AF_INET6;
    const int fd = ::socket(domain, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0) return -1;
    endpoint = loopback_endpoint(family, 0);
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.length) != 0) {
        ::close(fd);
        return -1;
    }
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    RL_ASSERT(::getsockname(fd, reinterpret_cast<sockaddr*>(&address), &length) == 0);
    const uint16_t port = family == Family::ipv4 ? ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port)
                                                 : ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
    endpoint = loopback_endpoint(family, port);
    return fd;
}

void add_to(int epoll, int fd, uint32_t interest) {
    epoll_event event{};
    event.events = interest;
    event.data.fd = fd;
    RL_ASSERT(::epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event) == 0);
}

}  // namespace

LoopbackHost::LoopbackHost() {
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    stop_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    RL_ASSERT(epoll_ >= 0 && stop_ >= 0);
    add_to(epoll_, stop_, EPOLLIN);
    thread_ = std::thread([this] { loop(); });
}

LoopbackHost::~LoopbackHost() {
    starve_descriptors(false);
    const uint64_t one = 1;
    RL_ASSERT(::write(stop_, &one, sizeof one) == sizeof one);
    thread_.join();
    for (auto& [fd, conn] : conns_) ::close(fd);
    for (const Listener& listener : listeners_) ::close(listener.fd);
    for (int fd : silent_) ::close(fd);
    ::close(stop_);
    ::close(epoll_);
}

bool LoopbackHost::has(Family family) {
    engine::Endpoint endpoint;
    const int fd = bound_socket(family, endpoint);
    if (fd >= 0) ::close(fd);
    return fd >= 0;
}

engine::Endpoint LoopbackHost::listen(const Script& script, Family family) {
    engine::Endpoint endpoint;
    const int fd = bound_socket(family, endpoint);
    // A slow reader shall be felt by the sender before megabytes lie in between. Accepted sockets inherit the size.
    const bool slow = std::any_of(script.begin(), script.end(), [](const Step& s) { return s.kind == Step::Kind::read && s.gap_ns > 0; });
    const int size = 16384;
    if (slow) ::setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    RL_ASSERT(fd >= 0 && ::listen(fd, 4096) == 0);
    const std::lock_guard lock(mutex_);
    listeners_.push_back({fd, script});
    add_to(epoll_, fd, EPOLLIN);
    return endpoint;
}

engine::Endpoint LoopbackHost::refusing() {
    engine::Endpoint endpoint;
    const int fd = bound_socket(Family::ipv4, endpoint);
    RL_ASSERT(fd >= 0);
    silent_.push_back(fd);  // bound and never listening: the port stays ours, and refuses
    return endpoint;
}

// A listener whose queue is full drops what knocks, so a connect neither succeeds nor fails.
engine::Endpoint LoopbackHost::silent() {
    engine::Endpoint endpoint;
    const int fd = bound_socket(Family::ipv4, endpoint);
    RL_ASSERT(fd >= 0 && ::listen(fd, 0) == 0);
    silent_.push_back(fd);
    for (int i = 0; i < 3; ++i) {
        const int filler = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        RL_ASSERT(filler >= 0);
        (void)::connect(filler, reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.length);
        silent_.push_back(filler);
    }
    return endpoint;
}

std::vector<PeerReport> LoopbackHost::reports() {
    const std::lock_guard lock(mutex_);
    return {reports_.begin(), reports_.end()};
}

// Fills the table of descriptors up to its soft limit, which is lowered first so that little is needed.
void LoopbackHost::starve_descriptors(bool on) {
    rlimit limit{};
    RL_ASSERT(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    if (on) {
        descriptors_before_ = limit.rlim_cur;
        limit.rlim_cur = 0;  // none can be made; those that are there go on, and one that the peers close meanwhile makes no room
        RL_ASSERT(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    } else if (descriptors_before_ != 0) {
        limit.rlim_cur = descriptors_before_;
        RL_ASSERT(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
        descriptors_before_ = 0;
    }
}

// ---- the loop; everything below runs in its thread, with the mutex held -----------------------------------------------------------

void LoopbackHost::loop() {
    std::array<epoll_event, 256> events;
    for (;;) {
        int timeout = -1;
        {
            const std::lock_guard lock(mutex_);
            if (!timers_.empty()) {
                const uint64_t now = monotonic_ns(), due = timers_.begin()->first;
                timeout = due <= now ? 0 : static_cast<int>((due - now) / 1'000'000 + 1);
            }
        }
        const int n = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout);
        const std::lock_guard lock(mutex_);
        for (int i = 0; i < n; ++i) {
            const int fd = events[static_cast<size_t>(i)].data.fd;
            if (fd == stop_) return;
            const auto listener = std::find_if(listeners_.begin(), listeners_.end(), [fd](const Listener& l) { return l.fd == fd; });
            if (listener != listeners_.end()) {
                accept_all(*listener);
            } else if (auto conn = conns_.find(fd); conn != conns_.end() && conn->second.wake_ns == 0) {
                advance(conn->second);
            }
        }
        while (!timers_.empty() && timers_.begin()->first <= monotonic_ns()) {
            const int fd = timers_.begin()->second;
            timers_.erase(timers_.begin());
            if (auto conn = conns_.find(fd); conn != conns_.end() && conn->second.wake_ns != 0) {
                conn->second.wake_ns = 0;
                advance(conn->second);
            }
        }
    }
}

void LoopbackHost::accept_all(const Listener& listener) {
    for (;;) {
        const int fd = ::accept4(listener.fd, nullptr, nullptr, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (fd < 0) return;
        const int one = 1;
        ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
        reports_.emplace_back();
        Conn& conn = conns_[fd];
        conn = {};
        conn.fd = fd;
        conn.script = &listener.script;
        conn.report = &reports_.back();
        add_to(epoll_, fd, 0);
        advance(conn);
    }
}

void LoopbackHost::watch(Conn& conn, uint32_t interest) {
    if (conn.interest == interest) return;
    conn.interest = interest;
    epoll_event event{};
    event.events = interest;
    event.data.fd = conn.fd;
    RL_ASSERT(::epoll_ctl(epoll_, EPOLL_CTL_MOD, conn.fd, &event) == 0);
}

void LoopbackHost::drop(Conn& conn) {
    for (auto timer = timers_.begin(); conn.wake_ns != 0 && timer != timers_.end();) {
        timer = timer->second == conn.fd ? timers_.erase(timer) : std::next(timer);
    }
    ::close(conn.fd);
    conns_.erase(conn.fd);
}

LoopbackHost::Outcome LoopbackHost::pause(Conn& conn, uint64_t ns) {
    conn.wake_ns = monotonic_ns() + ns;
    timers_.emplace(conn.wake_ns, conn.fd);
    return Outcome::paused;
}

void LoopbackHost::advance(Conn& conn) {
    for (;;) {
        switch (run_step(conn)) {
            case Outcome::step_over:
                ++conn.step;
                conn.done = 0;
                continue;
            case Outcome::blocked_read:
                return watch(conn, EPOLLIN);
            case Outcome::blocked_write:
                return watch(conn, EPOLLOUT);
            case Outcome::paused:
                return watch(conn, 0);
            case Outcome::gone:
                return drop(conn);
        }
    }
}

LoopbackHost::Outcome LoopbackHost::run_send(Conn& conn, const Step& step) {
    std::array<char, 65536> buffer;
    while (conn.done < step.octets) {
        uint64_t n = std::min<uint64_t>(step.octets - conn.done, buffer.size());
        if (step.portion > 0) n = std::min(n, random_.between(1, step.portion));
        fill_octets(Stream::to_client, conn.written, {buffer.data(), n});
        const ssize_t sent = ::send(conn.fd, buffer.data(), n, MSG_NOSIGNAL);
        if (sent < 0 && errno == EAGAIN) return Outcome::blocked_write;
        if (sent < 0) {
            conn.report->client_gone = true;
            return Outcome::gone;
        }
        conn.written += static_cast<uint64_t>(sent);
        conn.done += static_cast<uint64_t>(sent);
        if (step.gap_ns > 0) return pause(conn, step.gap_ns);
    }
    return Outcome::step_over;
}

LoopbackHost::Outcome LoopbackHost::run_read(Conn& conn, const Step& step) {
    std::array<char, 65536> buffer;
    while (conn.done < step.octets) {
        uint64_t n = std::min<uint64_t>(step.octets - conn.done, buffer.size());
        if (step.portion > 0) n = std::min<uint64_t>(n, step.portion);
        const ssize_t got = ::recv(conn.fd, buffer.data(), n, 0);
        if (got < 0 && errno == EAGAIN) return Outcome::blocked_read;
        if (got <= 0) {
            conn.report->client_gone = true;
            return Outcome::gone;
        }
        const std::span<const char> octets(buffer.data(), static_cast<size_t>(got));
        if (!octets_match(Stream::to_peer, conn.report->received, octets)) conn.report->in_order = false;
        conn.report->received += octets.size();
        conn.done += octets.size();
        if (step.gap_ns > 0) return pause(conn, step.gap_ns);
    }
    return Outcome::step_over;
}

LoopbackHost::Outcome LoopbackHost::run_step(Conn& conn) {
    static const Step to_the_end = reads(UINT64_MAX);
    const Step& step = conn.step < conn.script->size() ? (*conn.script)[conn.step] : to_the_end;
    switch (step.kind) {
        case Step::Kind::send:
            return run_send(conn, step);
        case Step::Kind::read:
            return run_read(conn, step);
        case Step::Kind::wait:
            if (conn.done > 0) return Outcome::step_over;
            conn.done = 1;
            return pause(conn, step.gap_ns);
        case Step::Kind::finish:
            ::shutdown(conn.fd, SHUT_WR);
            return Outcome::step_over;
        case Step::Kind::close:
            return Outcome::gone;
        case Step::Kind::reset: {
            const linger now{1, 0};
            ::setsockopt(conn.fd, SOL_SOCKET, SO_LINGER, &now, sizeof now);
            return Outcome::gone;
        }
    }
    return Outcome::gone;
}

}  // namespace rl::conformance
