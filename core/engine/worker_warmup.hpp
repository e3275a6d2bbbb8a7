// Worker: the load before the window. Included by worker.hpp alone.
//
// It is the same load on the same connections, with a timeline of its own. At its end every request gets its answer, what was counted is
// forgotten, and all workers begin the window together: so no request belongs to both.
#pragma once

#include "core/engine/worker.hpp"

namespace rl::engine {

template <Backend B, class Stream>
bool Worker<B, Stream>::warm_up() noexcept {
    // One that is bounded by requests lasts no longer than the run may: a target that never answers must not hold it up for ever.
    const Nanos longest = spec_.warmup != 0 ? spec_.warmup : spec_.duration;
    if (longest != 0) end_ns_ = start_ns_ + static_cast<uint64_t>(longest);
    budget_ = share(spec_.warmup_requests);
    count_bounded_ = spec_.warmup == 0;
    pacing_.open(ctx_.pacer, warmup_pacer_self_, spec_.load_model == LoadModel::closed);
    pacing_.start(start_ns_);
    wake_ns_ = start_ns_;
    while (!failed_ && turn()) {
    }
    if (failed_) return false;
    ending_ = true;  // nothing is sent until the window opens
    const bool stopped = stop_ == StopReason::interrupted;
    await_answers(backend_.now() + (stopped ? kDrainInterrupted : kDrainMost), stopped);
    for (Connection& c : conns_) {
        const bool unanswered = c.count != 0;
        abandon(c);
        if (unanswered && c.state == ConnState::open) close_now(slot_of(c));
    }
    requests_.flush();
    stats_.start_over();
    ctx_.tls_failure[0] = 0;
    claimed_ = 0;
    peak_ = live_;
    end_ns_ = kNever;
    last_issue_ns_ = passed_over_ns_ = busy_since_ns_ = 0;
    const bool go = !stopped && meet_at_barrier(*ctx_.control, kWarmUp);
    start_ns_ = go ? ctx_.control->start_ns.load(std::memory_order_relaxed) : backend_.now();  // ORDER: acquired with the phase
    stop_ = go ? StopReason::duration : StopReason::interrupted;
    ending_ = !go;
    return go;
}

// The connections that the warm-up left behind get to work.
template <Backend B, class Stream>
void Worker<B, Stream>::take_up_again() noexcept {
    if (pacing_.from_source()) pacing_.go_on_from(start_ns_, spec_.warmup, requests_);
    in_use_ = static_cast<uint32_t>(conns_.size());
    while (!idle_.empty()) conns_[idle_.pop()].in_idle = false;
    for (uint32_t slot = 0; slot < started_; ++slot) {
        Connection& c = conns_[slot];
        if (c.state == ConnState::retired) {
            c.failures = 0;
            begin_connect(slot);
        } else if (c.state == ConnState::open && paced_) {
            offer(slot);
        } else if (c.state == ConnState::open) {
            pump(c, backend_.now());
        }
    }
}

}  // namespace rl::engine
