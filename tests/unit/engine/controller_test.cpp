// The control thread with workers that do as a test says: the barrier, failures before and behind it, stops, and what is collected.
//
// No test waits for a time to pass: workers wait for the phase word, and the controller wakes itself.
#include "core/engine/controller.hpp"

#include <gtest/gtest.h>
#if !defined(_WIN32)
#include <pthread.h>
#include <signal.h>
#endif

#include <atomic>
#include <csignal>
#include <cstdio>
#include <functional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/base/clock.hpp"
#include "core/base/cpu.hpp"
#include "core/engine/run_worker.hpp"
#include "core/engine/worker_ctx.hpp"

namespace rl::engine {
namespace {

using stats::Counter;

// Opens nothing, meets the others at the barrier, then does what it was told. Called on the worker's thread.
using Body = std::function<void(WorkerCtx&)>;
struct Script {
    Body before = [](WorkerCtx&) {};   // behind pinning, before the barrier
    Body running = [](WorkerCtx&) {};  // between the barrier and the end
    int broken_at_start = -1;          // index of a worker that fails before the barrier
    int broken_later = -1;             // and of one that fails behind it
    std::atomic<int> started{0}, ran{0};
};

int scripted_worker(WorkerCtx* ctx, rl_error* error) {
    auto& script = *static_cast<Script*>(ctx->source_shared);
    ++script.started;
    script.before(*ctx);
    const int index = static_cast<int>(ctx->index);
    if (script.broken_at_start == index) {
        std::snprintf(error->message, sizeof error->message, "worker %d cannot open", index);
        ctx->stop = StopReason::failed;
        ctx->control->broken = true;
        count_up(ctx->control->ready);
        count_up(ctx->control->finished);
        return 1;
    }
    int status = 0;
    if (meet_at_barrier(*ctx->control, kPrepare)) {
        ++script.ran;
        ctx->window_end_ns = ctx->control->start_ns;
        script.running(*ctx);
        if (script.broken_later == index) {
            std::snprintf(error->message, sizeof error->message, "worker %d broke", index);
            ctx->stop = StopReason::failed;
            ctx->control->broken = true;
            status = 1;
        }
    }
    count_up(ctx->control->finished);
    return status;
}

void until_stopped(WorkerCtx& ctx) {
    while (ctx.control->phase.load() != kStop) wait_for_change(ctx.control->phase, kRun, 0);
    ctx.stop = StopReason::interrupted;
}

struct Watcher final : RunObserver {
    void begin(const RunResult& so_far) override {
        ++begun;
        workers_at_begin = so_far.workers.size();
        addresses = so_far.addresses;
        if (at_begin) at_begin();
    }
    void sample(const Sample& interval, const RunResult&) override {
        ++samples;
        requests_seen += interval.requests;
        if (at_sample) at_sample();
    }
    int begun = 0;
    std::atomic<int> samples{0};
    uint64_t requests_seen = 0;
    size_t workers_at_begin = 0;
    std::vector<std::string> addresses;
    std::function<void()> at_begin, at_sample;
};

class Controller : public ::testing::Test {
  protected:
    Controller() {
        spec.host = "127.0.0.1";
        spec.port = 9;
        spec.workers = 3;
        spec.connections = 10;
        spec.duration = 3600 * kSecond;
        source_ops.size = sizeof source_ops;
        pacer_ops.size = sizeof pacer_ops;
        pacer_ops.flags = RL_PACER_UNLIMITED;
        parts.source = &source_ops;
        parts.source_shared = &script;
        parts.pacer = &pacer_ops;
        parts.run_worker = scripted_worker;
    }
    RunResult run_well() {
        auto result = run(spec, parts, watcher, stop_signal);
        EXPECT_TRUE(result) << (result ? "" : result.error().text);
        return result ? std::move(*result) : RunResult{};
    }

    RunSpec spec;
    Script script;
    Watcher watcher;
    rl_source_ops source_ops{};
    rl_pacer_ops pacer_ops{};
    RunParts parts;
    std::atomic<int> stop_signal{0};
};

TEST_F(Controller, CollectsWhatTheWorkersLeave) {
    spec.pin = Pin::none;
    pacer_ops.flags = 0;
    spec.load_model = LoadModel::scheduled;
    script.running = [](WorkerCtx& ctx) {
        const uint64_t i = ctx.index;
        ctx.stats->counters.add(Counter::requests, 100 + i);
        ctx.stats->counters.add(Counter::slots_issued, 4);
        ctx.stats->answer(200, 1000 * (i + 1));
        ctx.stats->connections_peak(i + 1);
        ctx.connections_live = i;
        ctx.slots_scheduled = 10;
        ctx.window_end_ns = ctx.control->start_ns + 1000 * (i + 1);
        ctx.facts.backend = "scripted";
        ctx.facts.cpu_ns = 7 + i;
        ctx.stop = StopReason::requests;
    };
    const RunResult result = run_well();
    EXPECT_EQ(result.stop, StopReason::requests);
    EXPECT_EQ(result.failure, "");
    EXPECT_EQ(result.stats.counters.get(Counter::requests), 303u);
    EXPECT_EQ(result.stats.service.count(), 3u);
    EXPECT_EQ(result.connections_live, 0u + 1 + 2);
    EXPECT_EQ(result.connections_peak, 1u + 2 + 3);
    EXPECT_EQ(result.elapsed, 3000) << "the longest of the windows";
    EXPECT_TRUE(result.has_schedule);
    EXPECT_EQ(result.slots_scheduled, 30u);
    EXPECT_EQ(result.stats.counters.get(Counter::slots_skipped), 18u);
    EXPECT_EQ(result.addresses, std::vector<std::string>{"127.0.0.1:9"});
    ASSERT_EQ(result.workers.size(), 3u);
    uint32_t connections = 0;
    for (uint32_t i = 0; i < 3; ++i) {
        EXPECT_EQ(result.workers[i].index, i);
        EXPECT_EQ(result.workers[i].cpu, -1);
        EXPECT_EQ(result.workers[i].cpu_ns, 7u + i);
        EXPECT_EQ(result.workers[i].backend, "scripted");
        connections += result.workers[i].connections_asked;
    }
    EXPECT_EQ(connections, 10u);
    ASSERT_EQ(result.series.size(), 1u) << "a short run has one row";
    EXPECT_EQ(result.series[0].requests, 303u);
}

TEST_F(Controller, BeginComesWhenAllAreReadyAndBeforeAnyRuns) {
    watcher.at_begin = [this] {
        EXPECT_EQ(script.started, 3);
        EXPECT_EQ(script.ran, 0);
    };
    run_well();
    EXPECT_EQ(watcher.begun, 1);
    EXPECT_EQ(watcher.workers_at_begin, 3u);
    EXPECT_EQ(watcher.addresses, std::vector<std::string>{"127.0.0.1:9"});
    EXPECT_EQ(script.ran, 3);
}

TEST_F(Controller, AllWorkersHaveOneStartWhichIsNotBeforeTheBarrier) {
    std::atomic<uint64_t> opened{0}, start{0};
    std::atomic<bool> differs{false};
    script.before = [&](WorkerCtx&) { opened = monotonic_ns(); };
    script.running = [&](WorkerCtx& ctx) {
        uint64_t none = 0;
        if (!start.compare_exchange_strong(none, ctx.control->start_ns) && none != ctx.control->start_ns) differs = true;
        if (ctx.control->start_ns > monotonic_ns()) differs = true;
    };
    run_well();
    EXPECT_FALSE(differs);
    EXPECT_GE(start, opened);
}

TEST_F(Controller, AWorkerThatFailsBeforeTheBarrierEndsTheRunBeforeTraffic) {
    for (int broken = 0; broken < 3; ++broken) {
        script.broken_at_start = broken;
        auto result = run(spec, parts, watcher, stop_signal);
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, Error::resource);
        EXPECT_EQ(result.error().text, "worker " + std::to_string(broken) + " cannot open");
    }
    EXPECT_EQ(watcher.begun, 0);
    EXPECT_EQ(script.ran, 0);
}

TEST_F(Controller, AWorkerThatFailsLaterStopsTheOthers) {
    script.broken_later = 1;
    script.running = [this](WorkerCtx& ctx) {
        ctx.stats->counters.add(Counter::requests, 5);
        if (ctx.index != 1) return until_stopped(ctx);
        while (script.ran != 3) std::this_thread::yield();  // a worker that wakes up to a stop never runs
    };
    const RunResult result = run_well();
    EXPECT_EQ(result.stop, StopReason::failed);
    EXPECT_EQ(result.failure, "worker 1 broke");
    EXPECT_EQ(result.stats.counters.get(Counter::requests), 15u) << "what was measured is kept";
}

TEST_F(Controller, AFailureOutranksASignal) {
    script.broken_later = 0;
    script.running = [this](WorkerCtx& ctx) {
        if (ctx.index == 0) stop_signal = SIGINT;
        until_stopped(ctx);
    };
    EXPECT_EQ(run_well().stop, StopReason::failed);
}

TEST_F(Controller, SignalsEndTheRunByName) {
    script.running = until_stopped;
    for (const auto& [number, reason] : {std::pair{SIGINT, StopReason::interrupted}, std::pair{SIGTERM, StopReason::terminated}}) {
        stop_signal = 0;
        watcher.at_begin = [this, n = number] { stop_signal = n; };
        EXPECT_EQ(run_well().stop, reason);
    }
}

TEST_F(Controller, ASignalBeforeTheStartIsNotLost) {
    script.running = until_stopped;
    stop_signal = SIGINT;
    EXPECT_EQ(run_well().stop, StopReason::interrupted);
    EXPECT_EQ(watcher.begun, 1);
}

TEST_F(Controller, TheReasonOfTheWholeIsTheGravest) {
    constexpr StopReason kAscending[] = {StopReason::requests, StopReason::source_ended, StopReason::duration, StopReason::gave_up};
    for (size_t grave = 0; grave < 4; ++grave) {
        for (size_t other = 0; other <= grave; ++other) {
            for (uint32_t who = 0; who < 3; ++who) {
                script.running = [&, who](WorkerCtx& ctx) { ctx.stop = ctx.index == who ? kAscending[grave] : kAscending[other]; };
                EXPECT_EQ(run_well().stop, kAscending[grave]);
            }
        }
    }
}

TEST_F(Controller, RowsComeWhileTheRunGoesOn) {
    script.running = [this](WorkerCtx& ctx) {
        ctx.stats->counters.add(Counter::requests, 10);
        while (watcher.samples == 0) std::this_thread::yield();
        ctx.stats->counters.add(Counter::requests, 1);
        ctx.window_end_ns = monotonic_ns();
    };
    const RunResult result = run_well();
    EXPECT_EQ(watcher.samples, 1);
    EXPECT_EQ(watcher.requests_seen, 30u);
    ASSERT_EQ(result.series.size(), 2u);
    EXPECT_EQ(result.series[1].requests, 3u) << "the rest is the last row";
    EXPECT_EQ(result.series[0].length + result.series[1].length, result.elapsed);
}

#if !defined(_WIN32)  // there signals come on a thread of their own
TEST_F(Controller, WorkersTakeNoSignals) {
    std::atomic<bool> blocked{true};
    script.before = [&](WorkerCtx&) {
        sigset_t mask;
        pthread_sigmask(SIG_SETMASK, nullptr, &mask);
        for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGWINCH}) {
            if (sigismember(&mask, number) != 1) blocked = false;
        }
    };
    run_well();
    EXPECT_TRUE(blocked);
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    EXPECT_EQ(sigismember(&mask, SIGINT), 0) << "the control thread does";
}
#endif

TEST_F(Controller, NobodySpinsWhereProcessorsAreScarce) {
    std::atomic<int> spinners{0};
    script.before = [&](WorkerCtx& ctx) { spinners += ctx.may_spin ? 1 : 0; };
    spec.workers = static_cast<uint32_t>(allowed_cpus().size()) + 1;
    spec.connections = spec.workers;
    run_well();
    EXPECT_EQ(spinners, 0);
}

TEST_F(Controller, TheSuccessSetHoldsWhatTheSpecSays) {
    spec.success_statuses = {{200, 204}, {304, 304}, {990, 2000}};
    std::atomic<bool> right{true};
    script.before = [&](WorkerCtx& ctx) {
        for (unsigned status = 0; status < 1000; ++status) {
            const bool good = (status >= 200 && status <= 204) || status == 304 || status >= 990;
            if ((*ctx.success)[status] != good) right = false;
        }
    };
    run_well();
    EXPECT_TRUE(right);
}

TEST_F(Controller, StartupIsFromTheProcessToTheFirstRequest) {
    parts.process_start_ns = 1000;
    script.running = [](WorkerCtx& ctx) {
        if (ctx.index == 0) ctx.control->first_send_ns = 43'000;
    };
    EXPECT_EQ(run_well().startup, 42'000);
    script.running = [](WorkerCtx&) {};
    EXPECT_EQ(run_well().startup, 0) << "no request, no figure";
}

TEST_F(Controller, AListOfProcessorsIsKeptAndAWrongOneRefused) {
    const std::vector<Cpu> cpus = allowed_cpus();
    spec.pin = Pin::list;
    spec.pin_list = {cpus.front().id};
    std::atomic<int> elsewhere{0};
    script.before = [&](WorkerCtx& ctx) { elsewhere += ctx.cpu != static_cast<int>(cpus.front().id) ? 1 : 0; };
    EXPECT_EQ(run_well().workers.front().cpu, static_cast<int>(cpus.front().id));
    EXPECT_EQ(elsewhere, 0);
    spec.pin_list = {100'000};
    EXPECT_FALSE(run(spec, parts, watcher, stop_signal));
}

TEST_F(Controller, ATargetWithoutAddressIsRefusedBeforeAnyThreadStarts) {
    spec.host = "no-such.test";
    const auto refused = run(spec, parts, watcher, stop_signal);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Error::resolve);
    EXPECT_EQ(script.started, 0);
}

}  // namespace
}  // namespace rl::engine
