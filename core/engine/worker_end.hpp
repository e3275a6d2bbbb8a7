// Worker: the end of the window, and what becomes of requests that are still under way. Included by worker.hpp alone.
#pragma once

#include "core/engine/worker.hpp"

namespace rl::engine {

template <Backend B, class Stream>
void Worker<B, Stream>::end_window() noexcept {
    const uint64_t now = backend_.now();
    ending_ = true;
    // A run that is bounded by requests ends with its last answer or the last slot that got none, one that is bounded by time at its limit.
    uint64_t end = std::max(std::min(now, end_ns_), start_ns_);
    if (stop_ == StopReason::requests || stop_ == StopReason::source_ended) end = std::max({last_answer_ns_, passed_over_ns_, start_ns_});
    ctx_.window_end_ns = end;
    ctx_.stop = stop_;
    if (scheduled_) {
        // Where only the source knows the timeline, the slots that came up are all that is known.
        if (drops_ && idle_.empty()) drop_missed(end - 1);
        const uint64_t met = counters_.get(Counter::slots_issued) + counters_.get(Counter::slots_dropped) +
                             counters_.get(Counter::slots_shed) + counters_.get(Counter::slots_skipped);
        ctx_.slots_scheduled = pacing_.tells() ? std::min(pacing_.scheduled(end), share(spec_.requests)) : met;
        ctx_.last_issue_ns = last_issue_ns_;
    }
    ctx_.connections_live = live_;
    ctx_.facts.cpu_ns = thread_cpu_ns() - cpu_start_ns_;
    ctx_.facts.syscalls = backend_.counters().syscalls - syscalls_start_;
    ctx_.facts.worst_stall = static_cast<Nanos>(stats_.worst_stall_ns());
    if (spec_.requests != 0 && stop_ == StopReason::gave_up) {
        // What nobody will try any more has an outcome too.
        counters_.add(Counter::requests, budget_);
        counters_.add(Counter::abandoned, budget_);
        budget_ = 0;
    }
}

// Until nothing is in flight, the time is up, or somebody is in a hurry.
template <Backend B, class Stream>
void Worker<B, Stream>::await_answers(uint64_t until, bool hurry) noexcept {
    while (in_flight_ != 0 && !failed_) {
        const uint64_t now = backend_.now();
        if (now >= until) break;
        if (!hurry && ctx_.control->phase.load(std::memory_order_relaxed) == kStop) break;  // ORDER: nothing is read through it
        const uint64_t slice = std::min(until, now + kSleepMost);
        if (backend_.poll(*this, {.deadline_ns = slice}).broken) break;
    }
}

// Its requests without an outcome get the last one there is. Their octets stay the kernel's until the connection is closed.
template <Backend B, class Stream>
void Worker<B, Stream>::abandon(Connection& c) noexcept {
    // A second try that waits for its connection was sent before; a reserved request that never left takes no place.
    const uint32_t lost = c.count + (c.again ? 1u : 0u);
    counters_.add(Counter::abandoned, lost);
    claimed_ -= lost;
    in_flight_ -= c.count;
    if (c.again) requests_.recycle(c.retry.request);
    c.stale = static_cast<uint8_t>(c.stale + c.count);
    c.count = 0;
    c.unanswered = 0;
    c.reserved = c.again = false;
}

template <Backend B, class Stream>
void Worker<B, Stream>::drain() noexcept {
    const bool hurry = stop_ == StopReason::interrupted || failed_;
    await_answers(backend_.now() + (hurry ? kDrainInterrupted : kDrainMost), hurry);
    for (Connection& c : conns_) {
        abandon(c);
        if (c.state == ConnState::open || c.state == ConnState::connecting) close_now(slot_of(c));
    }
    backend_.drain(*this, backend_.now() + kCloseMost);
}

}  // namespace rl::engine
