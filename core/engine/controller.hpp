// Runs a resolved run: resolves names, loads modules, starts workers, watches the clock and signals, and collects the result.
//
// Control thread only. The controller never writes to a terminal: progress and reports go through RunObserver.
#pragma once

#include <atomic>
#include <functional>
#include <memory>

#include "core/base/result.hpp"
#include "core/engine/run_result.hpp"
#include "core/engine/run_spec.hpp"

extern "C" {
struct rl_source_ops;
struct rl_pacer_ops;
struct rl_value;
struct rl_error;
struct WorkerCtx;
}

namespace rl::engine {

struct RunObserver {
    virtual ~RunObserver() = default;
    virtual void begin(const RunResult& so_far) = 0;                           // resolved and ready, before any traffic
    virtual void sample(const Sample& interval, const RunResult& so_far) = 0;  // once a second while running
};

// What the controller drives, already loaded and checked; all of it outlives run().
struct RunParts {
    const rl_source_ops* source = nullptr;
    void* source_shared = nullptr;
    const rl_pacer_ops* pacer = nullptr;
    void* pacer_shared = nullptr;
    // Runs one worker on a backend; from a backend module's entry.
    int (*run_worker)(WorkerCtx* ctx, rl_error* err) = nullptr;
    const rl_value* backend_values = nullptr;  // of the module's own option table
    uint64_t process_start_ns = 0;             // on CLOCK_MONOTONIC; 0: the start-up figure is left out
};

// `stop_signal` is 0, SIGINT or SIGTERM, written by a signal handler. Fails only before traffic; after that failures are in the result.
Result<RunResult> run(const RunSpec& spec, const RunParts& parts, RunObserver& observer, const std::atomic<int>& stop_signal);

}  // namespace rl::engine
