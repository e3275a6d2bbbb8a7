// Every counter of a worker: name, unit, help. One list, so that a counter cannot be kept and not shown.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/stats/histogram.hpp"

namespace rl::stats {

// X(name, unit, help). requests = responses + transport errors + abandoned, always, once the run is over.
#define RL_COUNTERS(X)                                                                                                     \
    X(requests, "requests", "requests that took a place in the run: sent, or failed while a connection was made for them") \
    X(responses, "responses", "final answers read to their end")                                                           \
    X(ok, "responses", "answers whose status counts as success")                                                           \
    X(informational, "responses", "1xx answers before a final one")                                                        \
    X(retries, "requests", "idempotent requests sent once more after a reused connection died unanswered")                 \
    X(abandoned, "requests", "requests without an outcome when the run ended")                                             \
    X(drained, "responses", "of the responses, those read after the time limit; rates leave them out")                     \
    X(bytes_received, "bytes", "octets received: heads, framing and bodies")                                               \
    X(bytes_body, "bytes", "content octets of answers, chunk framing removed")                                             \
    X(bytes_sent, "bytes", "octets of requests handed to the backend")                                                     \
    X(connects_started, "connections", "connection attempts")                                                              \
    X(connects_done, "connections", "connections established")                                                             \
    X(connects_failed, "connections", "connection attempts that failed")                                                   \
    X(reconnects, "connections", "connections established after the first of their slot")                                  \
    X(closed_by_peer, "connections", "connections that the target ended")                                                  \
    X(surplus_closes, "connections", "connections closed because octets followed an answer")                               \
    X(slots_issued, "slots", "schedule slots that became a request")                                                       \
    X(slots_dropped, "slots", "schedule slots that found no free connection (open model)")                                 \
    X(slots_shed, "slots", "schedule slots that were older than the deadline and were not sent")                           \
    X(slots_skipped, "slots", "schedule slots that were due and found no free connection before the end")                  \
    X(wakes, "turns", "turns of the worker's loop")                                                                        \
    X(sleeps, "turns", "turns that went to sleep in the kernel")

enum class Counter : uint8_t {
#define RL_X(name, unit, help) name,
    RL_COUNTERS(RL_X)
#undef RL_X
        count_
};
inline constexpr size_t kCounters = static_cast<size_t>(Counter::count_);

struct CounterInfo {
    std::string_view name, unit, help;
};
inline constexpr std::array<CounterInfo, kCounters> kCounterInfo = {{
#define RL_X(name, unit, help) {#name, unit, help},
    RL_COUNTERS(RL_X)
#undef RL_X
}};

// One worker's counters. One writer; anyone may read (see histogram.hpp).
class Counters {
  public:
    void add(Counter which, uint64_t amount = 1) noexcept { bump(values_[static_cast<size_t>(which)], amount); }
    uint64_t get(Counter which) const noexcept { return peek(values_[static_cast<size_t>(which)]); }
    void add(const Counters& other) noexcept {
        for (size_t i = 0; i < kCounters; ++i) bump(values_[i], peek(other.values_[i]));
    }

  private:
    alignas(64) std::array<uint64_t, kCounters> values_{};
};

}  // namespace rl::stats
