#include "core/engine/controller.hpp"

#include <algorithm>
#include <bitset>
#include <csignal>
#include <system_error>
#include <thread>
#include <vector>

#include "core/base/clock.hpp"
#include "core/base/cpu.hpp"
#include "core/base/futex.hpp"
#include "core/base/process.hpp"
#include "core/engine/merge.hpp"
#include "core/engine/sampler.hpp"
#include "core/engine/target.hpp"
#include "core/engine/worker_ctx.hpp"

namespace rl::engine {
namespace {

constexpr uint64_t kSampleEvery = 1'000'000'000;
constexpr uint64_t kLookEvery = 50'000'000;  // how soon a signal is noticed that came just before the wait

std::bitset<1000> success_set(const RunSpec& spec) {
    std::bitset<1000> set;
    for (const auto& [low, high] : spec.success_statuses) {
        for (unsigned status = low; status <= high && status < set.size(); ++status) set.set(status);
    }
    return set;
}

// All workers of a run and their threads.
class Crew {
  public:
    Crew(const RunSpec& spec, const RunParts& parts, const std::vector<Endpoint>& endpoints, const std::vector<int>& pins, bool may_spin)
        : parts_(parts), success_(success_set(spec)), stats_(spec.workers), contexts_(spec.workers), errors_(spec.workers) {
        for (uint32_t i = 0; i < spec.workers; ++i) {
            WorkerCtx& ctx = contexts_[i];
            ctx.spec = &spec;
            ctx.index = i;
            ctx.cpu = pins[i];
            ctx.may_spin = may_spin;
            ctx.endpoints = endpoints;
            ctx.success = &success_;
            ctx.source = parts.source;
            ctx.source_shared = parts.source_shared;
            ctx.pacer = parts.pacer;
            ctx.pacer_shared = parts.pacer_shared;
            ctx.backend_values = parts.backend_values;
            ctx.stats = &stats_[i];
            ctx.control = &control_;
            ctx.facts.index = i;
            ctx.facts.cpu = pins[i];
            ctx.facts.connections_asked = static_cast<uint32_t>(share_of(spec.connections, i, spec.workers));
            errors_[i].size = sizeof(rl_error);
            pointers_.push_back(&stats_[i]);
        }
    }
    ~Crew() {
        release(kStop);
        join();
    }
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;

    Result<void> start() {
        const SignalsBlocked blocked;  // signals are the control thread's; its sleep ends when one arrives
        try {
            for (size_t i = 0; i < contexts_.size(); ++i) {
                threads_.emplace_back([this, i] { parts_.run_worker(&contexts_[i], &errors_[i]); });
            }
        } catch (const std::system_error& error) {
            return failure(Error::resource, std::string("cannot start worker threads: ") + error.what() + "; lower --threads",
                           error.code().value());
        }
        return {};
    }
    // Waits until every worker has opened what it needs.
    Result<void> meet() {
        uint32_t ready = 0;
        while ((ready = control_.ready.load(std::memory_order_acquire)) < contexts_.size()) {  // ORDER: acquires what they wrote
            wait_for_change(control_.ready, ready, 0);
        }
        if (!control_.broken.load(std::memory_order_relaxed)) return {};  // ORDER: acquired with ready
        release(kStop);
        join();
        return failure(Error::resource, first_error());
    }
    // Lets them begin what follows: the warm-up, or the window.
    void go(Phase phase) noexcept {
        control_.start_ns.store(monotonic_ns(), std::memory_order_relaxed);  // ORDER: released by the phase
        release(phase);
    }
    bool warmed_up() const noexcept { return control_.ready.load(std::memory_order_acquire) == 2 * contexts_.size(); }  // ORDER: as meet()
    void stop() noexcept { release(kStop); }
    // Until all workers have come to the second barrier, the time is up, or a signal came.
    void wait_warm(uint64_t ns) const noexcept {
        const uint32_t ready = control_.ready.load(std::memory_order_acquire);  // ORDER: as meet()
        if (ready != 2 * contexts_.size()) wait_for_change(control_.ready, ready, ns);
    }
    // Until all workers have finished, the time is up, or a signal came.
    void wait(uint64_t ns) const noexcept {
        const uint32_t finished = control_.finished.load(std::memory_order_acquire);  // ORDER: their results
        if (finished != contexts_.size()) wait_for_change(control_.finished, finished, ns);
    }
    bool done() const noexcept { return control_.finished.load(std::memory_order_acquire) == contexts_.size(); }  // ORDER: their results
    bool broken() const noexcept { return control_.broken.load(std::memory_order_relaxed); }                      // ORDER: a hint
    void join() {
        for (std::thread& thread : threads_) {
            if (thread.joinable()) thread.join();
        }
    }

    std::string first_error() const {
        for (const rl_error& error : errors_) {
            if (error.message[0] != 0) return error.message;
        }
        return "a worker failed without saying why";
    }
    uint64_t start_ns() const noexcept { return control_.start_ns.load(std::memory_order_relaxed); }            // ORDER: own store
    uint64_t first_send_ns() const noexcept { return control_.first_send_ns.load(std::memory_order_relaxed); }  // ORDER: after join
    const std::vector<WorkerCtx>& contexts() const noexcept { return contexts_; }
    std::span<const stats::WorkerStats* const> stats() const noexcept { return pointers_; }

  private:
    void release(Phase phase) noexcept {
        control_.phase.store(phase, std::memory_order_release);  // ORDER: start_ns is written before
        wake_all(control_.phase);
    }

    const RunParts& parts_;
    RunControl control_;
    std::bitset<1000> success_;
    std::vector<stats::WorkerStats> stats_;
    std::vector<const stats::WorkerStats*> pointers_;
    std::vector<WorkerCtx> contexts_;
    std::vector<rl_error> errors_;
    std::vector<std::thread> threads_;
};

Result<std::vector<int>> plan_pins(const RunSpec& spec, const std::vector<Cpu>& cpus) {
    if (spec.pin == Pin::none) return std::vector<int>(spec.workers, -1);
    if (spec.pin == Pin::list) return listed_pins(cpus, spec.pin_list, spec.workers);
    return automatic_pins(cpus, spec.workers);
}

StopReason overall(const Crew& crew, int signal) {
    if (crew.broken()) return StopReason::failed;
    if (signal == SIGINT) return StopReason::interrupted;
    if (signal != 0) return StopReason::terminated;
    StopReason worst = StopReason::requests;
    for (const WorkerCtx& ctx : crew.contexts()) {
        const auto rank = [](StopReason r) {
            return r == StopReason::gave_up ? 3 : r == StopReason::duration ? 2 : r == StopReason::source_ended ? 1 : 0;
        };
        if (rank(ctx.stop) > rank(worst)) worst = ctx.stop;
    }
    return worst;
}

// The load before the window. False: the run was stopped, or cannot go on.
bool warm_up(Crew& crew, const std::atomic<int>& stop_signal, int& signal) {
    crew.go(kWarmUp);
    while (!crew.warmed_up()) {
        signal = stop_signal.load(std::memory_order_relaxed);  // ORDER: set by a handler
        if (signal != 0 || crew.broken()) {
            crew.stop();
            return false;
        }
        crew.wait_warm(kLookEvery);
    }
    return true;
}

// What wrk does to its latencies: a request that took n mean gaps stands for those that would have been sent meanwhile, with n - 1, n - 2,
// ... gaps, for as long as more than a gap is left (stats_correct() in its stats.c). A gap is the time a connection took per request.
void fill_gaps_as_wrk(RunResult& result) {
    const stats::Histogram& service = result.stats.service;
    stats::Histogram& corrected = result.stats.corrected;
    corrected.clear();
    corrected.add(service);
    const uint64_t rounds = service.count() / result.spec.connections;
    if (rounds == 0 || result.elapsed <= 0) return;
    const uint64_t gap = static_cast<uint64_t>(result.elapsed) / rounds;
    if (gap == 0) return;
    service.each([&](uint64_t low, uint64_t, uint64_t n) {
        for (uint64_t left = low; left >= 2 * gap;) {
            left -= gap;
            if (left <= gap) break;
            corrected.record_many(left, n);
        }
    });
}

void collect(const Crew& crew, RunResult& result) {
    uint64_t end = crew.start_ns();
    for (const WorkerCtx& ctx : crew.contexts()) {
        end = std::max(end, ctx.window_end_ns);
        result.workers.push_back(ctx.facts);
        result.connections_live += ctx.connections_live;
        result.connections_peak += ctx.stats->connections_peak();
        result.slots_scheduled += ctx.slots_scheduled;
        if (ctx.tls_failure[0] != 0 && result.tls_failure.empty()) result.tls_failure = ctx.tls_failure;
        if (ctx.last_issue_ns > crew.start_ns()) {
            result.issue_span = std::max(result.issue_span, static_cast<Nanos>(ctx.last_issue_ns - crew.start_ns()));
        }
    }
    if (result.warmed_up) result.elapsed = static_cast<Nanos>(end - crew.start_ns());
    result.stats = merge_stats(crew.stats());
    if (result.spec.correction == Correction::wrk) fill_gaps_as_wrk(result);
    using stats::Counter;
    const stats::Counters& counters = result.stats.counters;
    const uint64_t met = counters.get(Counter::slots_issued) + counters.get(Counter::slots_dropped) + counters.get(Counter::slots_shed) +
                         counters.get(Counter::slots_skipped);
    if (result.has_schedule && result.slots_scheduled > met) {
        result.stats.counters.add(Counter::slots_skipped, result.slots_scheduled - met);
    }
}

}  // namespace

Result<RunResult> run(const RunSpec& spec, const RunParts& parts, RunObserver& observer, const std::atomic<int>& stop_signal) {
    RunResult result;
    result.spec = spec;
    const uint64_t before = monotonic_ns();
    auto endpoints = resolve(spec.host, spec.port);
    if (!endpoints) return std::move(endpoints).error();
    result.resolve = static_cast<Nanos>(monotonic_ns() - before);
    for (const Endpoint& endpoint : *endpoints) result.addresses.push_back(endpoint.text);

    const std::vector<Cpu> cpus = allowed_cpus();
    auto pins = plan_pins(spec, cpus);
    if (!pins) return std::move(pins).error();
    // One processor for client and target together, or fewer than workers: then spinning takes it from those who have work.
    const bool may_spin = std::thread::hardware_concurrency() > 1 && cpus.size() >= spec.workers;
    result.has_schedule = (parts.pacer->flags & RL_PACER_UNLIMITED) == 0 && spec.load_model != LoadModel::closed;
    result.clock = TscClock::name_of(TscClock().uses_counter());
    result.clock_resolution = static_cast<Nanos>(clock_resolution_ns());

    Crew crew(spec, parts, *endpoints, *pins, may_spin);
    RL_TRY(crew.start());
    RL_TRY(crew.meet());
    for (const WorkerCtx& ctx : crew.contexts()) result.workers.push_back(ctx.facts);
    observer.begin(result);
    result.workers.clear();

    int signal = 0;
    result.warmed_up = !spec.has_warmup() || warm_up(crew, stop_signal, signal);
    if (result.warmed_up) crew.go(kRun);
    Sampler sampler(crew.stats(), crew.start_ns());
    uint64_t next_sample = crew.start_ns() + kSampleEvery;
    while (!crew.done()) {
        if (signal == 0 && (signal = stop_signal.load(std::memory_order_relaxed)) != 0) crew.stop();  // ORDER: set by a handler
        if (crew.broken()) crew.stop();
        const uint64_t now = monotonic_ns();
        if (now >= next_sample) {
            result.series.push_back(sampler.take(now));
            observer.sample(result.series.back(), result);
            while (next_sample <= now) next_sample += kSampleEvery;  // a process that was stopped has one long interval
            continue;
        }
        crew.wait(std::min(kLookEvery, next_sample - now));
    }
    crew.join();
    result.stop = overall(crew, signal);
    if (result.stop == StopReason::failed) result.failure = crew.first_error();
    collect(crew, result);
    if (const uint64_t end = crew.start_ns() + static_cast<uint64_t>(result.elapsed); sampler.has_rest(end)) {
        result.series.push_back(sampler.take(end));
    }
    if (parts.process_start_ns != 0 && crew.first_send_ns() != 0) {
        result.startup = static_cast<Nanos>(crew.first_send_ns() - parts.process_start_ns);
    }
    return result;
}

}  // namespace rl::engine
