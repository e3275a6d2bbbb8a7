// One worker: a backend, its connections, and the loop that keeps them busy until its part of the run is over.
//
// Runs on one pinned thread and shares nothing but the words of RunControl and its statistics, which others only read. After open()
// nothing is allocated. Its parts: events of the backend worker_sink.hpp, single connections worker_connections.hpp, schedules
// worker_schedule.hpp, warm-up worker_warmup.hpp, the end worker_end.hpp, TLS worker_secure.hpp.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>

#include "core/base/arena.hpp"
#include "core/base/clock.hpp"
#include "core/base/ring.hpp"
#include "core/base/rng.hpp"
#include "core/engine/backend_concept.hpp"
#include "core/engine/connection.hpp"
#include "core/engine/pacing.hpp"
#include "core/engine/request_ring.hpp"
#include "core/engine/stream.hpp"
#include "core/engine/timer_wheel.hpp"
#include "core/engine/wait_policy.hpp"
#include "core/engine/worker_ctx.hpp"

namespace rl::engine {

template <Backend B, class Stream = PlainStream>
class Worker {
  public:
    explicit Worker(WorkerCtx& ctx) : ctx_(ctx), spec_(*ctx.spec), stats_(*ctx.stats), counters_(ctx.stats->counters) {}

    // Allocates everything and opens the backend; on the worker's own thread.
    Result<void> open();
    // The source's and pacer's halves of this worker; they outlive run().
    void attach(void* source_self, void* pacer_self, void* warmup_pacer_self) noexcept {
        source_self_ = source_self;
        pacer_self_ = pacer_self;
        warmup_pacer_self_ = warmup_pacer_self;
    }
    // From the barrier to the last closed connection. False if the source, the pacer or the backend could not go on: see fault().
    bool run() noexcept;
    const std::string& fault() const noexcept { return fault_; }

    // The sink, for the backend alone (worker_sink.hpp).
    void on_wake() noexcept { wake_ns_ = backend_.now(); }
    void on_open(ConnId id, IoError error) noexcept;
    Keep on_bytes(ConnId id, std::span<const char> octets, BufferToken token) noexcept;
    void on_skipped(ConnId id, uint64_t octets) noexcept;
    void on_sent(ConnId id, uint32_t refs) noexcept;
    void on_closed(ConnId id, IoError error) noexcept;

    // A hint from the backend: events of this connection follow.
    void prefetch(uint32_t slot) const noexcept {
        __builtin_prefetch(&conns_[slot]);
        __builtin_prefetch(reinterpret_cast<const char*>(&conns_[slot]) + 64);
    }

    B& backend() noexcept { return backend_; }  // for tests and benches that script it

  private:
    using Counter = stats::Counter;
    using TransportError = stats::TransportError;

    static constexpr uint64_t kNever = UINT64_MAX;
    static constexpr uint64_t kSleepMost = 50'000'000;         // so that a stop is noticed
    static constexpr uint64_t kDrainMost = 500'000'000;        // for what is in flight at the limit
    static constexpr uint64_t kDrainInterrupted = 50'000'000;  // the same when somebody waits for the end
    static constexpr uint64_t kCloseMost = 1'000'000'000;      // for the last connections to close
    static constexpr uint32_t kConnectsInARow = 64;
    static constexpr uint64_t kAskAgain = 1'000'000;  // a source that had nothing
    static constexpr uint64_t kBackoffFirst = 1'000'000, kBackoffIdle = 10'000'000, kBackoffMost = 100'000'000;
    static constexpr uint16_t kAttemptsMost = 10;     // in a row, before a count-limited run gives a connection up
    static constexpr uint64_t kSkipFrom = 16 * 1024;  // body octets that are worth a receive of their own

    // The loop, worker.hpp.
    bool start_some() noexcept;  // true: more connections wait for their turn
    bool turn() noexcept;        // false: this worker's part is over
    bool finished() const noexcept;
    uint64_t next_deadline(bool& due) noexcept;
    uint64_t share(uint64_t requests) const noexcept { return requests == 0 ? kNever : share_of(requests, ctx_.index, spec_.workers); }
    uint64_t starts_at(uint32_t slot) const noexcept;  // with --ramp-up
    void open_window() noexcept;
    bool fail(const char* text) noexcept;

    // The end, worker_end.hpp.
    void end_window() noexcept;
    void await_answers(uint64_t until, bool hurry) noexcept;
    void abandon(Connection& c) noexcept;
    void drain() noexcept;

    // The load before the window, worker_warmup.hpp.
    bool warm_up() noexcept;  // false: the run was stopped, or cannot go on
    void take_up_again() noexcept;

    // Single connections, worker_connections.hpp.
    ConnId id_of(uint32_t slot) const noexcept { return {slot, conns_[slot].generation}; }
    uint32_t slot_of(const Connection& c) const noexcept { return static_cast<uint32_t>(&c - conns_.data()); }
    bool take_ticket(Connection& c) noexcept;
    void give_ticket_back(Connection& c) noexcept;
    void begin_connect(uint32_t slot) noexcept;
    void count_attempt(Connection& c) noexcept {
        if (!c.tried) ++tried_;
        c.tried = true;
    }
    void connection_over(uint32_t slot) noexcept;
    void close_now(uint32_t slot) noexcept;
    void fail_flights(Connection& c, TransportError first, TransportError rest) noexcept;
    void fail_flight(const Flight& flight, TransportError error) noexcept;
    void recycle_early(Connection& c, uint32_t keep) noexcept;
    void recycle_stale(Connection& c) noexcept;
    void advance(Connection& c) const noexcept { c.head = static_cast<uint8_t>((c.head + 1u) & flight_mask_); }
    void fail_reserved(Connection& c, TransportError error) noexcept;
    bool keep_for_retry(Connection& c) noexcept;
    void on_timer(uint32_t slot, uint64_t now) noexcept;
    void arm(uint32_t slot) noexcept;
    bool under_way(const Connection& c) const noexcept { return c.count != 0 || c.unsent != 0; }
    // When the time began to run: with the oldest request, or with one that was answered before the kernel had taken it whole.
    uint64_t began_ns(const Connection& c) const noexcept {
        return std::max(c.flights[c.count != 0 ? c.head : (c.head - 1u) & flight_mask_].start_ns, c.open_ns);
    }

    // Requests out, worker_sink.hpp and, where they have a schedule, worker_schedule.hpp.
    void note_first_send(uint64_t now) noexcept;
    void pump(Connection& c, uint64_t now) noexcept;
    void free_up(uint32_t slot, uint64_t now) noexcept;
    void pump_due(uint64_t now) noexcept;
    bool pass_over_stale(uint64_t now) noexcept;
    void pass_over(Counter counter) noexcept;
    void drop_missed(uint64_t now) noexcept;
    void hand_over(Connection& c, SendRef ref) noexcept;
    void start_flight(Connection& c, const rl_request* request, uint64_t now, uint64_t due) noexcept;
    bool has_room(const Connection& c) const noexcept {
        return c.state == ConnState::open && !c.last && c.limit != 0 && c.count < depth_ && c.unsent <= c.count && !ending_;
    }
    void offer(uint32_t slot) noexcept;  // to idle_
    void established(uint32_t slot) noexcept;
    // Connections with a record layer, worker_secure.hpp.
    void begin_handshake(uint32_t slot) noexcept;
    bool go_on_with_handshake(uint32_t slot) noexcept;  // false: nothing more is to be read
    void receive_records(uint32_t slot, std::span<const char> octets) noexcept;
    void handshake_failed(uint32_t slot, bool still_open) noexcept;
    void flush_records(uint32_t slot) noexcept;
    // Answers in, worker_sink.hpp.
    struct Tally {
        uint32_t answers = 0, ok = 0, drained = 0;
        uint64_t body = 0, informational = 0;
    };
    void parse(uint32_t slot, std::span<const char> octets) noexcept;
    void answered(Connection& c, uint64_t now, Tally& tally) noexcept;
    void note(Connection& c, const Tally& tally, uint64_t now) noexcept;
    void go_on(uint32_t slot, bool surplus, uint64_t now) noexcept;

    WorkerCtx& ctx_;
    const RunSpec& spec_;
    stats::WorkerStats& stats_;
    stats::Counters& counters_;

    // What every answer touches.
    std::span<Connection> conns_;
    uint32_t depth_ = 1, flight_mask_ = 0;
    uint32_t in_flight_ = 0;
    uint64_t budget_ = 0;   // requests that have not been claimed
    uint64_t claimed_ = 0;  // claimed, without an outcome
    bool paced_ = false, ending_ = false, scheduled_ = false, fresh_connection_each_ = false;
    bool drops_ = false;  // LoadModel::open: a slot that finds no free connection is over
    uint64_t timeout_ns_ = 0, slot_age_most_ = kNever;
    RequestRing requests_;
    Pacing pacing_;
    B backend_;
    [[no_unique_address]] Stream stream_;

    TimerWheel timers_;
    Ring<uint32_t> idle_;  // open connections that have room and nothing to send, longest idle first
    WaitPolicy wait_;
    Rng rng_;
    Arena arena_;
    void* source_self_ = nullptr;
    void* pacer_self_ = nullptr;
    void* warmup_pacer_self_ = nullptr;
    uint64_t first_start_ns_ = 0;  // of the warm-up, if there is one
    uint64_t start_ns_ = 0, end_ns_ = kNever, wake_ns_ = 0, polled_ns_ = 0, last_answer_ns_ = 0, last_issue_ns_ = 0, passed_over_ns_ = 0,
             cpu_start_ns_ = 0, syscalls_start_ = 0;
    uint64_t live_ = 0, peak_ = 0;
    uint32_t started_ = 0;        // connections that have had their first turn
    uint32_t tried_ = 0;          // connections whose first attempt has an outcome
    uint64_t busy_since_ns_ = 0;  // when the last idle connection was taken
    uint32_t in_use_ = 0;         // connections that are not retired
    StopReason stop_ = StopReason::duration;
    std::string fault_;
    bool failed_ = false;
    bool count_bounded_ = false;  // only the number of requests ends this
};

template <Backend B, class Stream>
Result<void> Worker<B, Stream>::open() {
    const uint32_t n = static_cast<uint32_t>(share_of(spec_.connections, ctx_.index, spec_.workers));
    depth_ = spec_.pipeline;
    flight_mask_ = std::bit_ceil(depth_) - 1;
    conns_ = arena_.array<Connection>(n);
    const std::span<Flight> flights = depth_ == 1 ? std::span<Flight>() : arena_.array<Flight>(size_t{n} * (flight_mask_ + 1));
    for (uint32_t i = 0; i < n; ++i) {
        conns_[i].flights = depth_ == 1 ? &conns_[i].single : flights.data() + size_t{i} * (flight_mask_ + 1);
        // Addresses are dealt out over all connections of the run, not per worker.
        conns_[i].endpoint = static_cast<uint32_t>((uint64_t{i} * spec_.workers + ctx_.index) % ctx_.endpoints.size());
    }
    idle_.open(arena_, n);
    in_use_ = n;
    timeout_ns_ = static_cast<uint64_t>(spec_.timeout);
    fresh_connection_each_ = spec_.request.close_after;
    drops_ = spec_.load_model == LoadModel::open;
    if (spec_.deadline != 0) slot_age_most_ = static_cast<uint64_t>(spec_.deadline);
    rng_.seed(spec_.seed * 0x9e3779b97f4a7c15u + ctx_.index);
    wait_.open(spec_.wait, ctx_.may_spin);
    const WorkerEnv env{
        .connections_max = n, .pipeline_depth = std::max<uint32_t>(depth_, Stream::kSendsMost), .worker = ctx_.index, .seed = spec_.seed};
    RL_TRY(backend_.open(ctx_.backend_values, env));
    if constexpr (Stream::kSecure) RL_TRY(stream_.open(spec_, arena_, n));
    // A tick is small against the time-out, and a turn of the wheel is at least 100 ms.
    const uint64_t tick = timeout_ns_ == 0 ? 1'000'000 : std::clamp<uint64_t>(timeout_ns_ / 256, 100'000, 1'000'000);
    timers_.open(arena_, n, tick, backend_.now());
    return {};
}

template <Backend B, class Stream>
bool Worker<B, Stream>::fail(const char* text) noexcept {
    if (!failed_) fault_ = text;
    failed_ = true;
    stop_ = StopReason::failed;
    return false;
}

template <Backend B, class Stream>
bool Worker<B, Stream>::run() noexcept {
    first_start_ns_ = start_ns_ = ctx_.control->start_ns.load(std::memory_order_relaxed);  // ORDER: acquired with the phase
    paced_ = (ctx_.pacer->flags & RL_PACER_UNLIMITED) == 0;
    scheduled_ = paced_ && spec_.load_model != LoadModel::closed;
    if (!requests_.open(ctx_.source, source_self_, arena_, static_cast<uint32_t>(conns_.size()) * depth_)) {
        fail("the request source failed when it was asked for its first requests");
    }
    arena_.seal();
    backend_.poll(*this, {.min_events = 0});  // leads its clock back to the one from which start_ns_ was read
    const bool warm = spec_.has_warmup() && warm_up();
    open_window();
    if (warm) take_up_again();
    while (!failed_ && stop_ != StopReason::interrupted && turn()) {
    }
    end_window();
    drain();
    requests_.close();
    return !failed_;
}

template <Backend B, class Stream>
void Worker<B, Stream>::open_window() noexcept {
    if (spec_.duration != 0) end_ns_ = start_ns_ + static_cast<uint64_t>(spec_.duration);
    budget_ = share(spec_.requests);
    count_bounded_ = spec_.requests != 0 && spec_.duration == 0;
    pacing_.open(ctx_.pacer, pacer_self_, spec_.load_model == LoadModel::closed);
    pacing_.start(start_ns_);
    cpu_start_ns_ = thread_cpu_ns();
    syscalls_start_ = backend_.counters().syscalls;
    last_answer_ns_ = wake_ns_ = start_ns_;
}

// WHY not all at once: ten thousand connects in a row keep the first connections waiting for seconds, and their time-outs run.
template <Backend B, class Stream>
bool Worker<B, Stream>::start_some() noexcept {
    const uint64_t now = spec_.ramp_up == 0 ? kNever : backend_.now();
    for (uint32_t i = 0; i < kConnectsInARow && started_ < conns_.size(); ++i) {
        if (now < starts_at(started_)) return false;
        begin_connect(started_++);
    }
    return started_ < conns_.size();
}

// Connection i of n begins i/n of the ramp after the start; they are dealt out to the workers in turn.
template <Backend B, class Stream>
uint64_t Worker<B, Stream>::starts_at(uint32_t slot) const noexcept {
    if (spec_.ramp_up == 0) return 0;
    const double share = (static_cast<double>(slot) * spec_.workers + ctx_.index) / spec_.connections;
    return first_start_ns_ + static_cast<uint64_t>(static_cast<double>(spec_.ramp_up) * share);
}

template <Backend B, class Stream>
bool Worker<B, Stream>::finished() const noexcept {
    return claimed_ == 0 && (budget_ == 0 || requests_.ended() || pacing_.ended() || (started_ == conns_.size() && in_use_ == 0));
}

template <Backend B, class Stream>
uint64_t Worker<B, Stream>::next_deadline(bool& due) noexcept {
    uint64_t at = end_ns_;
    if (const uint64_t t = timers_.next_ns(); t < at) at = t;
    if (spec_.ramp_up != 0 && started_ < conns_.size()) at = std::min(at, starts_at(started_));
    due = false;
    if (budget_ == 0 || idle_.empty() || requests_.ended()) return at;
    if (!paced_ || requests_.peek() == nullptr) return std::min(at, backend_.now() + kAskAgain);  // the source had nothing just now
    if (const uint64_t t = pacing_.next_ns(); t < at) {
        at = t;
        due = true;
    }
    return at;
}

template <Backend B, class Stream>
bool Worker<B, Stream>::turn() noexcept {
    const uint64_t now = backend_.now();
    if (ctx_.control->phase.load(std::memory_order_relaxed) == kStop) {  // ORDER: nothing is read through it
        stop_ = StopReason::interrupted;
        return false;
    }
    if (now >= end_ns_) {
        stop_ = StopReason::duration;
        return false;
    }
    if (finished()) {
        stop_ = budget_ == 0 ? StopReason::requests : requests_.ended() || pacing_.ended() ? StopReason::source_ended : StopReason::gave_up;
        return false;
    }
    // Against the instant at which the last poll began: it delivered all that had come by then. What came while this process slept,
    // was stopped or had other things to do is not late through its own fault.
    timers_.expire(polled_ns_, [this](uint32_t slot) { on_timer(slot, polled_ns_); });
    const bool starting = start_some();
    if (!idle_.empty()) pump_due(now);
    requests_.flush();
    if (requests_.failed()) return fail("the request source failed while the run was going on");
    if (pacing_.failed()) return fail("the pacer failed while the run was going on");

    bool due = false;
    const uint64_t deadline = std::min(next_deadline(due), now + kSleepMost);
    const uint32_t awaiting = (in_flight_ + depth_ - 1) / depth_;
    WaitSpec wait = wait_.next(awaiting, now, deadline, due && deadline != now + kSleepMost);
    if (starting) wait.min_events = 0;
    polled_ns_ = backend_.now();
    if (polled_ns_ > wake_ns_) stats_.stalled(polled_ns_ - wake_ns_);
    const PollResult result = backend_.poll(*this, wait);
    if (result.slept && wake_ns_ > wait.deadline_ns) stats_.stalled(wake_ns_ - wait.deadline_ns);
    wait_.learn(wait, result);
    counters_.add(Counter::wakes);
    if (result.slept) counters_.add(Counter::sleeps);
    if (result.broken) {
        fail("the backend broke");
        fault_ = backend_.error();
        return false;
    }
    return true;
}

}  // namespace rl::engine

#include "core/engine/worker_connections.hpp"
#include "core/engine/worker_end.hpp"
#include "core/engine/worker_schedule.hpp"
#include "core/engine/worker_secure.hpp"
#include "core/engine/worker_sink.hpp"
#include "core/engine/worker_warmup.hpp"
