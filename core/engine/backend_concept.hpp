// THE SEAM: what a backend must do for the worker, and what it may expect of it. tests/conformance is its executable form.
//
// A backend is a class that moves octets for up to connections_max connections of one worker, on that worker's thread. The worker is
// instantiated over it, so nothing here is called through a pointer.
//
// Verbs. All but open() are noexcept, allocate nothing and never call the sink outside poll() and drain():
//   open     on the worker's own thread; allocates everything; may fail
//   connect  starts a connection in a slot that is not in use; the endpoint stays where it is until on_open or on_closed
//   send     appends octets to the connection's stream; they stay unchanged until on_sent, or for good when ref.settled is set
//   skip     the next `octets` of the stream need not be looked at: the backend MAY drop them unread and say on_skipped instead of
//            on_bytes. A hint: octets delivered by on_bytes meanwhile count towards it. Asking again replaces what is left
//   close    stop and release everything of this connection; on_closed follows from a later poll, even where connect has not finished
//   release  gives back octets that the sink had held
//   poll     submits all that is queued, waits as `wait` says, delivers. Returns at once if anything was delivered
//   drain    closes every connection and delivers the last events, until all are closed or the deadline has passed
//   now      the clock that deadlines refer to: nanoseconds, monotonic, comparable with CLOCK_MONOTONIC (sim: virtual)
//
// Events. The sink may call verbs (never poll or drain) from inside them:
//   on_wake()                          the wait of this poll is over and events follow, or nothing came; once per poll
//   on_open(id, error)                 exactly once per connect, unless close came first
//   on_bytes(id, octets, token) -> Keep  in stream order; valid until return, or until release if the sink answers Keep::hold
//   on_skipped(id, octets)             so many octets of the stream passed unread, at most what was asked for
//   on_sent(id, refs)                  the oldest `refs` sends of this connection which were not settled may be reused
//   on_closed(id, error)               exactly once per connection that was opened or closed before it was; last event of this id,
//                                      after it the kernel holds no memory of it. A failed on_open is not followed by on_closed
// There is no receive verb: from on_open to on_closed a connection is receiving. Events of one connection are ordered, between
// connections they are not. Late completions of an older generation are dropped. Backends never coalesce and never parse.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "core/base/result.hpp"
#include "core/engine/endpoint.hpp"
#include "core/engine/ids.hpp"
#include "core/engine/io_error.hpp"

struct rl_value;

namespace rl::engine {

enum class Keep : uint8_t { release, hold };

// Octets to send: a head and, directly behind it on the wire, a body. Either may be empty, not both.
struct SendRef {
    const uint8_t* head = nullptr;
    const uint8_t* body = nullptr;
    uint32_t head_len = 0, body_len = 0;
    // The sender promises that these octets never change and that all unanswered octets of this connection together fit kSettledBytes,
    // so that the kernel takes them at once. The backend reports nothing for such a send unless it fails.
    bool settled = false;
};
inline constexpr uint32_t kSettledBytes = 8192;

struct WaitSpec {
    uint64_t deadline_ns = 0;  // on the backend's clock: return by then
    uint64_t spin_ns = 0;      // look for events so long before sleeping; 0: sleep at once
    uint32_t min_events = 1;   // sleep until so many events are there, or batch_window_ns has passed since the first wait; 0: do not sleep
    uint64_t batch_window_ns = 0;  // with min_events > 1 only
};
struct PollResult {
    uint32_t events = 0;  // delivered
    bool slept = false;   // went to sleep in the kernel
    bool broken = false;  // the backend itself cannot go on; error() of the backend says why
};

struct WorkerEnv {
    uint32_t connections_max = 0;
    uint32_t pipeline_depth = 1;
    uint32_t worker = 0;
    uint64_t seed = 0;
};
struct BackendCounters {
    uint64_t syscalls = 0;     // submits, waits, reads and writes; socket set-up and close included
    uint64_t late_events = 0;  // completions of an older generation, dropped
    uint64_t starved = 0;      // receives that found no free buffer and were armed again
};

// An empty sink, used to spell the concept.
struct ProbeSink {
    void on_wake() noexcept {}
    void on_open(ConnId, IoError) noexcept {}
    Keep on_bytes(ConnId, std::span<const char>, BufferToken) noexcept { return Keep::release; }
    void on_skipped(ConnId, uint64_t) noexcept {}
    void on_sent(ConnId, uint32_t) noexcept {}
    void on_closed(ConnId, IoError) noexcept {}
};

template <class B>
concept Backend = requires(B b, const B cb, ProbeSink& sink, ConnId c, const Endpoint& endpoint, SendRef ref, BufferToken token,
                           const WaitSpec& wait, const WorkerEnv& env, const rl_value* values, uint64_t n) {
    { B::name() } -> std::convertible_to<const char*>;
    { b.open(values, env) } -> std::same_as<Result<void>>;
    { b.connect(c, endpoint) }
    noexcept->std::same_as<void>;
    { b.send(c, ref) }
    noexcept->std::same_as<void>;
    { b.skip(c, n) }
    noexcept->std::same_as<void>;
    { b.close(c) }
    noexcept->std::same_as<void>;
    { b.release(token) }
    noexcept->std::same_as<void>;
    { b.poll(sink, wait) }
    noexcept->std::same_as<PollResult>;
    { b.drain(sink, n) }
    noexcept->std::same_as<void>;
    { b.now() }
    noexcept->std::same_as<uint64_t>;
    { cb.switches() } -> std::same_as<std::string>;
    { cb.error() } -> std::same_as<std::string>;
    { cb.counters() }
    noexcept->std::same_as<const BackendCounters&>;
};

}  // namespace rl::engine
