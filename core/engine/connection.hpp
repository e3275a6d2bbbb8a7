// The state of one connection of a worker. Owned by the worker's thread; what every answer touches comes first.
#pragma once

#include <cstdint>

#include "core/engine/ids.hpp"
#include "core/http/response_reader.hpp"
#include "ringload/plugin.h"

namespace rl::engine {

// One request without an outcome.
struct Flight {
    const rl_request* request = nullptr;
    uint64_t start_ns = 0;  // handed to the backend (with a new connection per request: when its connect began)
    uint64_t due_ns = 0;    // with a schedule: when it was due; else 0
};

enum class ConnState : uint8_t {
    closed,      // no connection: waits for its back-off, or for work
    connecting,  // connect was queued
    open,        // carries requests
    closing,     // close was queued; on_closed will follow
    retired,     // is not used again in this run
};

struct alignas(64) Connection {
    http::ResponseReader reader;
    Flight* flights = nullptr;  // BORROWS: until the worker ends; a ring of flight_mask + 1, or `single`
    uint32_t generation = 0;
    uint32_t unanswered = 0;  // octets of requests without an outcome, as far as they count for SendRef::settled
    uint8_t head = 0;         // oldest flight
    uint8_t count = 0;        // flights
    ConnState state = ConnState::closed;
    bool reserved = false;    // holds a ticket for a request that waits for its connection
    bool last = false;        // no further request goes out on it
    bool in_idle = false;     // stands in the queue of connections with room
    bool again = false;       // the reserved request is `retry`, sent once more
    bool second_try = false;  // the oldest flight was sent once before
    uint8_t early = 0;        // flights just before head that were answered before the kernel had taken their last octet
    uint8_t stale = 0;        // flights at head that have an outcome, while the kernel may still read their octets
    bool orderly = false;     // it ends as HTTP foresees, so the next one may follow at once
    bool shaking = false;     // a TLS handshake is under way
    bool tried = false;       // its first attempt had an outcome
    bool faulted = false;     // it failed to open, or a request failed on it
    // The second cache line begins about here.
    Flight single;          // the ring itself where nothing is pipelined
    uint64_t first_ns = 0;  // when the first octets of an answer came that was not complete with them; else 0
    uint32_t served = 0;    // answers on this connection
    uint32_t limit = 0;     // requests that it may still send; UINT32_MAX: no limit
    uint16_t unsent = 0;    // sends that the backend has not confirmed; the settled ones are not counted
    uint16_t failures = 0;  // attempts in a row without an answer
    uint32_t endpoint = 0;
    uint32_t opened = 0;       // how often it was established
    uint64_t connect_ns = 0;   // when connect was queued
    uint64_t tcp_ns = 0;       // with TLS: when its handshake began
    uint64_t open_ns = 0;      // when it was established
    uint64_t retry_at_ns = 0;  // closed: not before this
    Flight retry;              // with `again`

    Flight& oldest() noexcept { return flights[head]; }
};
static_assert(sizeof(Connection) <= 192);  // ten thousand of them are to fit 2 MB

}  // namespace rl::engine
