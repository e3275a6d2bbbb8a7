// Worker: the life of single connections. Tickets, connects, back-off, failures, retries, time-outs. Included by worker.hpp alone.
//
// A ticket is the right to one of the worker's requests. Without a schedule a connection takes one before it connects, so that a refused
// connect is the outcome of a request, and no connection is opened that has nothing to send.
#pragma once

#include <algorithm>

#include "core/engine/worker.hpp"

namespace rl::engine {

// How a transport error is called, by what was going on.
constexpr stats::TransportError connect_error(IoError error) noexcept {
    switch (error) {
        case IoError::refused:
            return stats::TransportError::connect_refused;
        case IoError::timed_out:
            return stats::TransportError::connect_timeout;
        default:
            return stats::TransportError::connect_failed;
    }
}
constexpr stats::TransportError exchange_error(IoError error) noexcept {
    switch (error) {
        case IoError::reset:
            return stats::TransportError::connection_reset;
        case IoError::timed_out:
            return stats::TransportError::read_timeout;
        case IoError::none:
        case IoError::peer_closed:
            return stats::TransportError::connection_closed;
        default:
            return stats::TransportError::other;
    }
}

template <Backend B, class Stream>
bool Worker<B, Stream>::take_ticket(Connection& c) noexcept {
    if (c.reserved) {
        c.reserved = false;
        return true;
    }
    if (budget_ == 0) return false;
    if (budget_ != kNever) --budget_;
    ++claimed_;
    return true;
}

template <Backend B, class Stream>
void Worker<B, Stream>::give_ticket_back(Connection& c) noexcept {
    if (!c.reserved) return;
    c.reserved = false;
    --claimed_;
    if (budget_ != kNever) ++budget_;
}

template <Backend B, class Stream>
void Worker<B, Stream>::arm(uint32_t slot) noexcept {
    const Connection& c = conns_[slot];
    uint64_t at = kNever;
    if (c.state == ConnState::closed) {
        at = c.retry_at_ns;
    } else if (timeout_ns_ != 0 && c.state == ConnState::connecting) {
        at = c.connect_ns + timeout_ns_;
    } else if (timeout_ns_ != 0 && c.state == ConnState::open && under_way(c)) {
        at = began_ns(c) + timeout_ns_;
    }
    if (at != kNever) timers_.arm(slot, at);
}

// Starts a connection in this slot, unless there is nothing for it to do.
template <Backend B, class Stream>
void Worker<B, Stream>::begin_connect(uint32_t slot) noexcept {
    Connection& c = conns_[slot];
    if (ending_) {
        c.state = ConnState::retired;
        return;
    }
    if (!c.again) {
        const bool work =
            paced_ ? budget_ > (c.connect_ns == 0 ? slot : 0) && !requests_.ended() : requests_.peek() != nullptr && take_ticket(c);
        if (!work) {
            // Nothing is left for it; a source that has nothing just now is asked again by the timer.
            if (budget_ == 0 || requests_.ended() || paced_) {
                count_attempt(c);
                c.state = ConnState::retired;
                --in_use_;
            } else {
                c.retry_at_ns = backend_.now() + kBackoffFirst;
                arm(slot);
            }
            return;
        }
        c.reserved = !paced_;
    }
    c.state = ConnState::connecting;
    c.connect_ns = backend_.now();
    c.last = c.orderly = c.faulted = c.second_try = false;
    c.served = 0;
    c.first_ns = 0;
    c.unanswered = 0;
    c.unsent = 0;
    c.limit = spec_.requests_per_connection_max == 0
                  ? UINT32_MAX
                  : static_cast<uint32_t>(rng_.between(spec_.requests_per_connection_min, spec_.requests_per_connection_max));
    c.reader.reset();
    counters_.add(Counter::connects_started);
    timers_.disarm(slot);
    arm(slot);
    backend_.connect(id_of(slot), ctx_.endpoints[c.endpoint]);
}

// The connection in this slot is gone: the slot rests, tries again at once, or is given up.
template <Backend B, class Stream>
void Worker<B, Stream>::connection_over(uint32_t slot) noexcept {
    Connection& c = conns_[slot];
    ++c.generation;
    c.state = ConnState::closed;
    timers_.disarm(slot);
    if (ending_) {
        c.state = ConnState::retired;
        return;
    }
    if (c.orderly) {
        begin_connect(slot);
        return;
    }
    if (!c.faulted) {
        // Nothing was asked of it and it answered nothing: no attempt, but no reason to hurry either.
        c.retry_at_ns = backend_.now() + kBackoffIdle;
        arm(slot);
        return;
    }
    if (c.failures < UINT16_MAX) ++c.failures;
    c.endpoint = static_cast<uint32_t>((c.endpoint + 1) % ctx_.endpoints.size());
    if (count_bounded_ && c.failures >= kAttemptsMost) {
        give_ticket_back(c);
        c.state = ConnState::retired;
        --in_use_;
        return;
    }
    c.retry_at_ns = backend_.now() + std::min(kBackoffFirst << std::min<unsigned>(c.failures - 1u, 20), kBackoffMost);
    arm(slot);
}

template <Backend B, class Stream>
void Worker<B, Stream>::close_now(uint32_t slot) noexcept {
    Connection& c = conns_[slot];
    if (c.state == ConnState::open) stats_.connections_live(--live_);
    c.shaking = false;  // what becomes of a handshake that is ended here has no meaning any more
    c.state = ConnState::closing;
    timers_.disarm(slot);
    backend_.close(id_of(slot));
}

// Gives a request its outcome; its octets stay the kernel's until recycle().
template <Backend B, class Stream>
void Worker<B, Stream>::fail_flight(const Flight& flight, TransportError error) noexcept {
    stats_.failed(error);
    const uint64_t now = backend_.now();
    if (scheduled_) stats_.corrected().record(now - flight.due_ns);  // at the age it had reached: a failure must not look fast
    requests_.tell({.cookie = flight.request->cookie,
                    .body_bytes = 0,
                    .service_ns = now - flight.start_ns,
                    .status = 0,
                    .klass = flight.request->klass,
                    .error = static_cast<uint32_t>(error)});
    --claimed_;
    last_answer_ns_ = now;
}

template <Backend B, class Stream>
void Worker<B, Stream>::fail_flights(Connection& c, TransportError first, TransportError rest) noexcept {
    c.faulted = c.faulted || c.count != 0;
    for (uint32_t i = 0; i < c.count; ++i) fail_flight(c.flights[(c.head + i) & flight_mask_], i == 0 ? first : rest);
    in_flight_ -= c.count;
    c.stale = static_cast<uint8_t>(c.stale + c.count);
    c.count = 0;
    c.unanswered = 0;
}

// Requests that were answered early go back to the source as the kernel takes their last octets: all but the newest `keep`.
template <Backend B, class Stream>
void Worker<B, Stream>::recycle_early(Connection& c, uint32_t keep) noexcept {
    for (; c.early > keep; --c.early) requests_.recycle(c.flights[(c.head - c.early) & flight_mask_].request);
}

// The connection is closed: what the kernel may have been reading goes back to the source.
template <Backend B, class Stream>
void Worker<B, Stream>::recycle_stale(Connection& c) noexcept {
    recycle_early(c, 0);
    for (; c.stale != 0; --c.stale) {
        requests_.recycle(c.oldest().request);
        advance(c);
    }
}

// A request that was waiting for its connection gets its outcome. With a schedule the oldest due slot takes that place.
template <Backend B, class Stream>
void Worker<B, Stream>::fail_reserved(Connection& c, TransportError error) noexcept {
    if (c.again) {
        c.again = c.reserved = false;
        fail_flight(c.retry, error);
        requests_.recycle(c.retry.request);
        return;
    }
    if (ending_) return give_ticket_back(c);                     // a request that never left takes no place after the window
    const uint64_t now = std::min(backend_.now(), end_ns_ - 1);  // a slot from the limit on is none of this run's
    bool due_now = false;
    if (!c.reserved && paced_) {
        do {
            due_now = budget_ != 0 && pacing_.has_due(now, requests_);
        } while (due_now && pass_over_stale(now));
    }
    if (!c.reserved && !due_now) return;
    const rl_request* request = requests_.peek();
    if (request == nullptr || !take_ticket(c)) {
        give_ticket_back(c);
        return;
    }
    counters_.add(Counter::requests);
    if (paced_) counters_.add(Counter::slots_issued);
    const uint64_t due = pacing_.pop();
    request = requests_.pop();
    fail_flight({request, c.connect_ns, due}, error);
    requests_.recycle(request);
}

// RFC 9112 9.3.1: an idempotent request on a reused connection that ended before the first octet of its answer is sent once more.
template <Backend B, class Stream>
bool Worker<B, Stream>::keep_for_retry(Connection& c) noexcept {
    if (ending_ || c.count == 0 || c.served == 0 || c.second_try || c.reader.in_message()) return false;
    const Flight& flight = c.oldest();
    if ((flight.request->flags & RL_REQUEST_IDEMPOTENT) == 0) return false;
    c.retry = flight;
    c.again = c.reserved = true;
    advance(c);
    --c.count;
    --in_flight_;
    counters_.add(Counter::retries);
    return true;
}

template <Backend B, class Stream>
void Worker<B, Stream>::on_timer(uint32_t slot, uint64_t now) noexcept {
    Connection& c = conns_[slot];
    if (c.state == ConnState::closed) {
        if (now >= c.retry_at_ns) {
            begin_connect(slot);
        } else {
            arm(slot);
        }
        return;
    }
    if (timeout_ns_ == 0) return;
    if (c.state == ConnState::connecting) {
        if (now < c.connect_ns + timeout_ns_) return arm(slot);
        counters_.add(Counter::connects_failed);
        count_attempt(c);
        c.faulted = true;
        fail_reserved(c, TransportError::connect_timeout);
        close_now(slot);
        return;
    }
    if (c.state != ConnState::open || !under_way(c)) return;
    if (now < began_ns(c) + timeout_ns_) return arm(slot);
    // Those behind it were sent with it or later: they have had no answer either, but their own time may not be up.
    fail_flights(c, TransportError::request_timeout, TransportError::connection_closed);
    close_now(slot);
}

}  // namespace rl::engine
