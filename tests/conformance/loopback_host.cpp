#include "tests/conformance/loopback_host.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/base/assert.hpp"
#include "core/base/clock.hpp"
#include "tests/conformance/process_limits.hpp"

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

// A bound socket and where it is; kNoSocket if this machine has no such address.
Socket bound_socket(Family family, engine::Endpoint& endpoint) {
    const Socket socket = open_socket(family == Family::ipv4 ? AF_INET : AF_INET6);
    if (socket == kNoSocket) return kNoSocket;
    endpoint = loopback_endpoint(family, 0);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.length) != 0) {
        close_socket(socket);
        return kNoSocket;
    }
    sockaddr_storage address{};
    socklen_t length = sizeof address;
    RL_ASSERT(::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &length) == 0);
    const uint16_t port = family == Family::ipv4 ? ntohs(reinterpret_cast<const sockaddr_in*>(&address)->sin_port)
                                                 : ntohs(reinterpret_cast<const sockaddr_in6*>(&address)->sin6_port);
    endpoint = loopback_endpoint(family, port);
    return socket;
}

}  // namespace

LoopbackHost::LoopbackHost() : thread_([this] { loop(); }) {}

LoopbackHost::~LoopbackHost() {
    starve_descriptors(false);
    stop_.store(true, std::memory_order_relaxed);  // ORDER: the wake-up comes behind it through the kernel
    poller_.wake();
    thread_.join();
    for (auto& [socket, conn] : conns_) close_socket(socket);
    for (const Listener& listener : listeners_) close_socket(listener.socket);
    for (Socket socket : silent_) close_socket(socket);
}

bool LoopbackHost::has(Family family) {
    engine::Endpoint endpoint;
    const Socket socket = bound_socket(family, endpoint);
    if (socket != kNoSocket) close_socket(socket);
    return socket != kNoSocket;
}

engine::Endpoint LoopbackHost::listen(const Script& script, Family family) {
    engine::Endpoint endpoint;
    const Socket socket = bound_socket(family, endpoint);
    // A slow reader shall be felt by the sender before megabytes lie in between. Accepted sockets inherit the size.
    const bool slow = std::any_of(script.begin(), script.end(), [](const Step& s) { return s.kind == Step::Kind::read && s.gap_ns > 0; });
    const int size = 16384;
    if (slow) set_option(socket, SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
    RL_ASSERT(socket != kNoSocket && ::listen(socket, 4096) == 0);
    {
        const std::lock_guard lock(mutex_);
        listeners_.push_back({socket, script});
        poller_.watch(socket, Interest::read);
    }
    poller_.wake();
    return endpoint;
}

engine::Endpoint LoopbackHost::refusing() {
    engine::Endpoint endpoint;
    const Socket socket = bound_socket(Family::ipv4, endpoint);
    RL_ASSERT(socket != kNoSocket);
    silent_.push_back(socket);  // bound and never listening: the port stays ours, and refuses
    return endpoint;
}

// A listener whose queue is full drops what knocks, so a connect neither succeeds nor fails. Windows refuses then; there a listener may
// keep those that knock waiting until it has looked at them.
engine::Endpoint LoopbackHost::silent() {
    engine::Endpoint endpoint;
    const Socket socket = bound_socket(Family::ipv4, endpoint);
#if defined(_WIN32)
    const int on = 1;
    set_option(socket, SOL_SOCKET, SO_CONDITIONAL_ACCEPT, &on, sizeof on);
#endif
    RL_ASSERT(socket != kNoSocket && ::listen(socket, 0) == 0);
    silent_.push_back(socket);
    for (int i = 0; i < 3; ++i) {
        const Socket filler = open_socket(AF_INET);
        RL_ASSERT(filler != kNoSocket);
        (void)::connect(filler, reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.length);
        silent_.push_back(filler);
    }
    return endpoint;
}

std::vector<PeerReport> LoopbackHost::reports() {
    const std::lock_guard lock(mutex_);
    return {reports_.begin(), reports_.end()};
}

bool LoopbackHost::starve_descriptors(bool on) { return conformance::starve_descriptors(on, descriptors_before_); }

// ---- the loop; everything below runs in its thread, with the mutex held -----------------------------------------------------------

void LoopbackHost::loop() {
    while (!stop_.load(std::memory_order_relaxed)) {  // ORDER: as in the destructor
        int timeout = -1;
        {
            const std::lock_guard lock(mutex_);
            if (!timers_.empty()) {
                const uint64_t now = monotonic_ns(), due = timers_.begin()->first;
                timeout = due <= now ? 0 : static_cast<int>((due - now) / 1'000'000 + 1);
            }
        }
        const std::vector<Socket>& ready = poller_.wait(timeout);
        const std::lock_guard lock(mutex_);
        for (const Socket socket : ready) {
            const auto listener =
                std::find_if(listeners_.begin(), listeners_.end(), [socket](const Listener& l) { return l.socket == socket; });
            if (listener != listeners_.end()) {
                accept_all(*listener);
            } else if (auto conn = conns_.find(socket); conn != conns_.end() && conn->second.wake_ns == 0) {
                advance(conn->second);
            }
        }
        while (!timers_.empty() && timers_.begin()->first <= monotonic_ns()) {
            const Socket socket = timers_.begin()->second;
            timers_.erase(timers_.begin());
            if (auto conn = conns_.find(socket); conn != conns_.end() && conn->second.wake_ns != 0) {
                conn->second.wake_ns = 0;
                advance(conn->second);
            }
        }
    }
}

void LoopbackHost::accept_all(const Listener& listener) {
    for (;;) {
        const Socket socket = accept_from(listener.socket);
        if (socket == kNoSocket) return;
        reports_.emplace_back();
        Conn& conn = conns_[socket];
        conn = {};
        conn.socket = socket;
        conn.script = &listener.script;
        conn.report = &reports_.back();
        poller_.watch(socket, Interest::none);
        advance(conn);
    }
}

void LoopbackHost::watch(Conn& conn, Interest interest) {
    if (conn.interest == interest) return;
    conn.interest = interest;
    poller_.watch(conn.socket, interest);
}

void LoopbackHost::drop(Conn& conn) {
    for (auto timer = timers_.begin(); conn.wake_ns != 0 && timer != timers_.end();) {
        timer = timer->second == conn.socket ? timers_.erase(timer) : std::next(timer);
    }
    const Socket socket = conn.socket;
    poller_.forget(socket);
    close_socket(socket);
    conns_.erase(socket);
}

LoopbackHost::Outcome LoopbackHost::pause(Conn& conn, uint64_t ns) {
    conn.wake_ns = monotonic_ns() + ns;
    timers_.emplace(conn.wake_ns, conn.socket);
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
                return watch(conn, Interest::read);
            case Outcome::blocked_write:
                return watch(conn, Interest::write);
            case Outcome::paused:
                return watch(conn, Interest::none);
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
        const std::ptrdiff_t sent = send_some(conn.socket, buffer.data(), n);
        if (sent < 0 && would_block()) return Outcome::blocked_write;
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
        const std::ptrdiff_t got = receive_some(conn.socket, buffer.data(), n);
        if (got < 0 && would_block()) return Outcome::blocked_read;
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
            ::shutdown(conn.socket, kEndOfSending);
            return Outcome::step_over;
        case Step::Kind::close:
            return Outcome::gone;
        case Step::Kind::reset: {
            const linger now{1, 0};
            set_option(conn.socket, SOL_SOCKET, SO_LINGER, &now, sizeof now);
            return Outcome::gone;
        }
    }
    return Outcome::gone;
}

}  // namespace rl::conformance
