// Worker: the events of the backend, answers in and requests out. The hot path. Included by worker.hpp alone.
//
// HOT: no allocation, lock, system call or indirect call below, but for the source and pacer once for up to 64 requests.
#pragma once

#include "core/engine/worker.hpp"

namespace rl::engine {

template <Backend B, class Stream>
void Worker<B, Stream>::on_open(ConnId id, IoError error) noexcept {
    Connection& c = conns_[id.slot];
    count_attempt(c);
    if (error != IoError::none) {
        counters_.add(Counter::connects_failed);
        c.faulted = true;
        stats_.caused(connect_error(error), static_cast<uint8_t>(error));
        fail_reserved(c, connect_error(error));
        connection_over(id.slot);
        return;
    }
    if constexpr (Stream::kSecure) {
        begin_handshake(id.slot);
    } else {
        established(id.slot);
    }
}

// The connection can carry requests.
template <Backend B, class Stream>
void Worker<B, Stream>::established(uint32_t slot) noexcept {
    Connection& c = conns_[slot];
    c.state = ConnState::open;
    c.open_ns = backend_.now();
    if (counters_.get(Counter::connects_done) == 0) note_first_send(c.open_ns);
    counters_.add(Counter::connects_done);
    if (c.opened++ != 0) counters_.add(Counter::reconnects);
    if constexpr (Stream::kSecure) {
        stats_.secured(c.open_ns - c.tcp_ns);
    } else {
        stats_.connected(c.open_ns - c.connect_ns);
    }
    stats_.connections_live(++live_);
    if (live_ > peak_) stats_.connections_peak(peak_ = live_);
    timers_.disarm(slot);
    if (ending_) return;
    if (c.again) {
        c.again = false;
        take_ticket(c);
        start_flight(c, c.retry.request, c.retry.start_ns, c.retry.due_ns);
        c.second_try = true;
        arm(slot);
        return;
    }
    if (paced_) {
        free_up(slot, c.open_ns);
    } else {
        pump(c, c.open_ns);
    }
}

template <Backend B, class Stream>
Keep Worker<B, Stream>::on_bytes(ConnId id, std::span<const char> octets, BufferToken) noexcept {
    counters_.add(Counter::bytes_received, octets.size());
    if constexpr (Stream::kSecure) {
        receive_records(id.slot, octets);
    } else {
        parse(id.slot, octets);
    }
    return Keep::release;
}

constexpr http::RequestKind kind_of(const rl_request& request) noexcept {
    if ((request.flags & (RL_REQUEST_HEAD | RL_REQUEST_CONNECT)) == 0) [[likely]]
        return http::RequestKind::normal;
    return (request.flags & RL_REQUEST_HEAD) != 0 ? http::RequestKind::head : http::RequestKind::connect;
}

template <Backend B, class Stream>
void Worker<B, Stream>::parse(uint32_t slot, std::span<const char> octets) noexcept {
    Connection& c = conns_[slot];
    if (c.state != ConnState::open) return;  // it is being closed: nothing that still arrives counts
    Tally tally;
    const uint64_t now = backend_.now();  // when these octets were there: the same for all answers that end in them
    const char* at = octets.data();
    size_t left = octets.size();
    while (left != 0 && c.count != 0 && !c.last) {
        const http::Step step = c.reader.read(at, left, kind_of(*c.oldest().request));
        if (step.event == http::Event::need_more) {
            left = 0;
            if (c.first_ns == 0 && c.reader.in_message()) c.first_ns = now;
            break;
        }
        if (step.event == http::Event::error) {
            note(c, tally, now);
            fail_flights(c, TransportError::protocol_error, TransportError::connection_closed);
            close_now(slot);
            return;
        }
        at += step.used;
        left -= step.used;
        answered(c, now, tally);
    }
    // Octets behind the last answer say nothing about that answer; but nothing on this connection can be trusted after them.
    if (tally.answers != 0 || left != 0) {
        note(c, tally, now);
        go_on(slot, left != 0 && !c.last, now);
    }
    if constexpr (Stream::kMaySkip) {
        if (c.state == ConnState::open && c.count != 0) {
            if (const uint64_t n = c.reader.skippable(); n >= kSkipFrom) [[unlikely]]
                backend_.skip(id_of(slot), n);
        }
    }
}

// The oldest request of this connection has its final answer.
template <Backend B, class Stream>
void Worker<B, Stream>::answered(Connection& c, uint64_t now, Tally& tally) noexcept {
    const Flight& flight = c.oldest();
    const rl_request* request = flight.request;
    const unsigned status = c.reader.status();
    const uint64_t service = now - flight.start_ns;
    stats_.answer(status, service);
    if (c.first_ns != 0) [[unlikely]] {
        stats_.in_pieces(c.first_ns - flight.start_ns, service);
        c.first_ns = 0;
    }
    if (scheduled_) stats_.corrected().record(now - flight.due_ns);
    ++tally.answers;
    tally.ok += (*ctx_.success)[status];
    tally.body += c.reader.body_bytes();
    tally.informational += c.reader.informational();
    if (!requests_.repeats() || requests_.wants_responses()) {
        requests_.tell({.cookie = request->cookie,
                        .body_bytes = c.reader.body_bytes(),
                        .service_ns = service,
                        .status = static_cast<uint16_t>(status),
                        .klass = request->klass,
                        .error = 0});
        if (c.unsent >= c.count) [[unlikely]] {
            ++c.early;  // it stays in the ring, just before head
        } else {
            requests_.recycle(request);
        }
    }
    ++c.served;
    c.unanswered -= request->head_len + request->body_len;
    if (!c.reader.keep_alive() || (request->flags & RL_REQUEST_CLOSE) != 0) c.last = true;
    advance(c);
    --c.count;
}

// Books what one delivery brought.
template <Backend B, class Stream>
void Worker<B, Stream>::note(Connection& c, const Tally& tally, uint64_t now) noexcept {
    if (tally.answers == 0) return;
    counters_.add(Counter::responses, tally.answers);
    counters_.add(Counter::ok, tally.ok);
    counters_.add(Counter::bytes_body, tally.body);
    if (ending_) counters_.add(Counter::drained, tally.answers);
    if (tally.informational != 0) counters_.add(Counter::informational, tally.informational);
    in_flight_ -= tally.answers;
    claimed_ -= tally.answers;
    last_answer_ns_ = now;
    c.failures = 0;
    c.second_try = false;
}

// After an answer: the connection ends as HTTP foresees, or takes its next requests.
template <Backend B, class Stream>
void Worker<B, Stream>::go_on(uint32_t slot, bool surplus, uint64_t now) noexcept {
    Connection& c = conns_[slot];
    if (c.last || surplus || (c.limit == 0 && c.count == 0)) {
        if (surplus) counters_.add(Counter::surplus_closes);
        fail_flights(c, TransportError::connection_closed, TransportError::connection_closed);
        c.orderly = c.served != 0;
        close_now(slot);
    } else if (paced_) {
        free_up(slot, now);
    } else {
        pump(c, now);
    }
}

template <Backend B, class Stream>
void Worker<B, Stream>::on_skipped(ConnId id, uint64_t octets) noexcept {
    counters_.add(Counter::bytes_received, octets);
    Connection& c = conns_[id.slot];
    if (c.state != ConnState::open || c.count == 0) return;
    const http::Step step = c.reader.skip(octets);
    if (step.event != http::Event::response) return;
    Tally tally;
    const uint64_t now = backend_.now();
    answered(c, now, tally);
    note(c, tally, now);
    go_on(id.slot, false, now);
}

template <Backend B, class Stream>
void Worker<B, Stream>::on_sent(ConnId id, uint32_t refs) noexcept {
    Connection& c = conns_[id.slot];
    if constexpr (Stream::kSecure) {
        refs = stream_.sent(id.slot, refs);
        flush_records(id.slot);
        if (refs == 0) return;
    }
    c.unsent = static_cast<uint16_t>(c.unsent - refs);
    if (c.state != ConnState::open) return;
    recycle_early(c, c.unsent > c.count ? c.unsent - c.count : 0u);
    if (!has_room(c)) return;
    const uint64_t now = backend_.now();
    if (paced_) {
        free_up(id.slot, now);
    } else {
        pump(c, now);
    }
}

template <Backend B, class Stream>
void Worker<B, Stream>::on_closed(ConnId id, IoError error) noexcept {
    Connection& c = conns_[id.slot];
    recycle_early(c, 0);
    bool whole = true;  // the end of the stream is one that the peer meant
    if constexpr (Stream::kSecure) {
        if (c.shaking) handshake_failed(id.slot, false);
        whole = stream_.ended(id.slot);
        if (whole && error == IoError::none) error = IoError::peer_closed;  // closed here, because the peer had said that it was done
        stream_.stop(id.slot);
    }
    if (c.state == ConnState::open) {
        stats_.connections_live(--live_);
        counters_.add(Counter::closed_by_peer);
        TransportError first = exchange_error(error);
        if (error == IoError::peer_closed && whole && c.count != 0 && c.reader.finish() == http::Event::response) {
            // The end of the stream was the end of the answer.
            Tally tally;
            const uint64_t now = backend_.now();
            answered(c, now, tally);
            note(c, tally, now);
            c.orderly = true;
            first = TransportError::connection_closed;
        } else if (keep_for_retry(c) || (c.count == 0 && c.served != 0)) {
            c.orderly = true;  // an idle connection may be closed at any time (RFC 9112 9.5)
        }
        if (c.count != 0) stats_.caused(first, static_cast<uint8_t>(error));
        fail_flights(c, first, TransportError::connection_closed);
    }
    recycle_stale(c);
    connection_over(id.slot);
}

// The earliest of all workers' first requests, for the start-up figure.
template <Backend B, class Stream>
void Worker<B, Stream>::note_first_send(uint64_t now) noexcept {
    auto& first = ctx_.control->first_send_ns;
    uint64_t seen = first.load(std::memory_order_relaxed);  // ORDER: read after the worker was joined
    while ((seen == 0 || now < seen) && !first.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
    }
}

// ---- requests out ----------------------------------------------------------------------------------------------------------------

// Sends as many requests on this connection as it has room for. Requests whose octets lie one behind the other leave in one send.
template <Backend B, class Stream>
void Worker<B, Stream>::pump(Connection& c, uint64_t now) noexcept {
    if (!has_room(c) || now >= end_ns_) return;  // nothing begins after the limit, however late this turn is
    const bool was_empty = c.count == 0;
    const uint64_t start = fresh_connection_each_ ? c.connect_ns : now;
    const bool join = requests_.repeats();  // others are confirmed one by one, so that they can be given back
    SendRef ref;
    uint32_t sent = 0;
    uint64_t octets = 0;
    requests_.rewind();
    while (has_room(c)) {
        const rl_request* next = requests_.peek();
        if (next == nullptr || !take_ticket(c)) break;
        const rl_request* request = requests_.pop();
        c.flights[(c.head + c.count) & flight_mask_] = {request, start, 0};
        ++c.count;
        ++sent;
        if (c.limit != UINT32_MAX) --c.limit;
        c.unanswered += request->head_len + request->body_len;
        octets += request->head_len + request->body_len;
        if (join && ref.head + ref.head_len == request->head && ref.body_len == 0 && request->body_len == 0) {
            ref.head_len += request->head_len;
            continue;
        }
        if (ref.head != nullptr) hand_over(c, ref);
        ref = {.head = request->head, .body = request->body, .head_len = request->head_len, .body_len = request->body_len};
    }
    if (sent == 0) {
        give_ticket_back(c);  // the source has nothing for it, now or any more; whoever comes first takes the next
        offer(slot_of(c));
        return;
    }
    hand_over(c, ref);
    if constexpr (Stream::kSecure) flush_records(slot_of(c));
    in_flight_ += sent;
    counters_.add(Counter::requests, sent);
    counters_.add(Counter::bytes_sent, octets);
    if (was_empty && !timers_.armed(slot_of(c))) arm(slot_of(c));
}

template <Backend B, class Stream>
void Worker<B, Stream>::hand_over(Connection& c, SendRef ref) noexcept {
    if constexpr (Stream::kSecure) {
        if (!stream_.write(slot_of(c), ref)) ++c.unsent;
        return;  // flush_records() follows
    }
    ref.settled = requests_.repeats() && c.unanswered <= kSettledBytes;
    if (!ref.settled) ++c.unsent;
    backend_.send(id_of(slot_of(c)), ref);
}

template <Backend B, class Stream>
void Worker<B, Stream>::start_flight(Connection& c, const rl_request* request, uint64_t start, uint64_t due) noexcept {
    c.flights[(c.head + c.count) & flight_mask_] = {request, start, due};
    ++c.count;
    ++in_flight_;
    if (c.limit != UINT32_MAX) --c.limit;
    c.unanswered += request->head_len + request->body_len;
    hand_over(c, {.head = request->head, .body = request->body, .head_len = request->head_len, .body_len = request->body_len});
    if constexpr (Stream::kSecure) flush_records(slot_of(c));
}

}  // namespace rl::engine
