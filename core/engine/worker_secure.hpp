// Worker: connections with a record layer between the backend and the parser. Included by worker.hpp alone; compiled for such streams.
//
// While the handshake goes on the connection counts as connecting, under the same time-out. What the peer refuses or breaks then is a
// tls_error of the request that the connection was for.
#pragma once

#include <cstdio>

#include "core/engine/worker.hpp"

namespace rl::engine {

template <Backend B, class Stream>
void Worker<B, Stream>::begin_handshake(uint32_t slot) noexcept {
    Connection& c = conns_[slot];
    c.tcp_ns = backend_.now();
    stats_.connected(c.tcp_ns - c.connect_ns);
    c.shaking = true;
    if (!stream_.start(slot)) return handshake_failed(slot, true);
    go_on_with_handshake(slot);
}

template <Backend B, class Stream>
bool Worker<B, Stream>::go_on_with_handshake(uint32_t slot) noexcept {
    const auto progress = stream_.shake(slot);
    flush_records(slot);
    if (progress == Stream::Shake::more) return false;
    if (progress == Stream::Shake::failed) {
        handshake_failed(slot, true);
        return false;
    }
    conns_[slot].shaking = false;
    established(slot);
    return true;
}

template <Backend B, class Stream>
void Worker<B, Stream>::handshake_failed(uint32_t slot, bool still_open) noexcept {
    Connection& c = conns_[slot];
    c.shaking = false;
    counters_.add(Counter::connects_failed);
    c.faulted = true;
    if (ctx_.tls_failure[0] == 0) {
        const char* const why = still_open ? stream_.failure().c_str() : "the target closed the connection during the handshake";
        std::snprintf(ctx_.tls_failure, sizeof ctx_.tls_failure, "%s", why);
    }
    fail_reserved(c, TransportError::tls_error);
    if (still_open) close_now(slot);
}

template <Backend B, class Stream>
void Worker<B, Stream>::receive_records(uint32_t slot, std::span<const char> octets) noexcept {
    Connection& c = conns_[slot];
    if (c.state != ConnState::open && !c.shaking) return;
    const uint32_t generation = c.generation;
    stream_.feed(slot, octets);
    if (c.shaking && !go_on_with_handshake(slot)) return;
    const bool good = stream_.receive(slot, [&](std::span<const char> plain) {
        parse(slot, plain);
        return c.state == ConnState::open && c.generation == generation;
    });
    if (c.state != ConnState::open || c.generation != generation) return;
    flush_records(slot);
    if (!good) {
        fail_flights(c, TransportError::tls_error, TransportError::connection_closed);
        close_now(slot);
    } else if (stream_.ended(slot)) {
        // The peer sends no more. What was under way is whole if its end is that of the stream: on_closed() looks.
        c.last = true;
        timers_.disarm(slot);
        backend_.close(id_of(slot));
    }
}

template <Backend B, class Stream>
void Worker<B, Stream>::flush_records(uint32_t slot) noexcept {
    stream_.flush(slot, [&](const SendRef& ref) { backend_.send(id_of(slot), ref); });
}

}  // namespace rl::engine
