// Worker: slots of a schedule and the connections that take them. Included by worker.hpp alone.
//
// A slot that is due goes to the connection that has been idle longest. If there is none it waits (LoadModel::scheduled) or is dropped
// (LoadModel::open). Dropping is done when a connection becomes free, for all slots that were due before: nobody has to wake up for it.
#pragma once

#include "core/engine/worker.hpp"

namespace rl::engine {

template <Backend B, class Stream>
void Worker<B, Stream>::offer(uint32_t slot) noexcept {
    Connection& c = conns_[slot];
    if (c.in_idle || !has_room(c)) return;
    c.in_idle = true;
    idle_.push(slot);
}

// This connection has room again.
template <Backend B, class Stream>
void Worker<B, Stream>::free_up(uint32_t slot, uint64_t now) noexcept {
    if (drops_ && !ending_ && idle_.empty()) drop_missed(now);
    offer(slot);
    pump_due(now);
}

// One request for each due slot.
template <Backend B, class Stream>
void Worker<B, Stream>::pump_due(uint64_t now) noexcept {
    if (now >= end_ns_ || ending_) return;
    while (budget_ != 0 && !idle_.empty() && pacing_.has_due(now, requests_)) {
        if (pass_over_stale(now)) continue;
        const uint32_t slot = idle_.pop();
        Connection& c = conns_[slot];
        c.in_idle = false;
        if (idle_.empty()) busy_since_ns_ = now;
        if (!has_room(c)) continue;
        if (requests_.peek() == nullptr) {
            offer(slot);
            return;
        }
        take_ticket(c);
        const uint64_t due = pacing_.pop();
        now = std::max(now, due);  // it may have been granted at a later reading of the clock
        if (paced_) counters_.add(Counter::slots_issued);
        counters_.add(Counter::requests);
        const rl_request* request = requests_.pop();
        counters_.add(Counter::bytes_sent, request->head_len + request->body_len);
        // A new connection's set-up is part of the service, but not how long it then waited for something to be due.
        const uint64_t start = fresh_connection_each_ && c.connect_ns > due ? c.connect_ns : now;
        if (scheduled_) stats_.sent_late(start - due);  // here and not with its outcome: a request that fails or is abandoned was late too
        start_flight(c, request, start, due);
        last_issue_ns_ = now;
        if (c.count == 1 && !timers_.armed(slot)) arm(slot);
        offer(slot);
    }
}

// True: the due slot was older than the deadline and is over.
template <Backend B, class Stream>
bool Worker<B, Stream>::pass_over_stale(uint64_t now) noexcept {
    if (slot_age_most_ == kNever || now <= pacing_.due_ns() + slot_age_most_) [[likely]]
        return false;
    pass_over(Counter::slots_shed);
    return true;
}

// The due slot takes its place in the run without a request. A source that owns the timeline loses the request of that slot with it.
template <Backend B, class Stream>
void Worker<B, Stream>::pass_over(Counter counter) noexcept {
    counters_.add(counter);
    if (budget_ != kNever) --budget_;
    passed_over_ns_ = pacing_.pop() + 1;
    if (pacing_.from_source()) requests_.recycle(requests_.pop());
}

// No connection is free: slots that are due by now are over. While connections are set up for the first time slots wait for them, since
// otherwise each run would begin with drops.
template <Backend B, class Stream>
void Worker<B, Stream>::drop_missed(uint64_t now) noexcept {
    if (tried_ < started_) return;
    now = std::min(now, end_ns_ - 1);  // a slot from the limit on is none of this run's
    while (budget_ != 0 && pacing_.has_due(now, requests_)) {
        // What was due while a connection was idle is late through the worker's own fault: skipped, not dropped.
        if (!pass_over_stale(now)) pass_over(pacing_.due_ns() <= busy_since_ns_ ? Counter::slots_skipped : Counter::slots_dropped);
    }
}

}  // namespace rl::engine
