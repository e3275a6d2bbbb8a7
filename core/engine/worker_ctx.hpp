// Everything that one worker is given and gives back. A plain struct, since it crosses into backend modules; all of it belongs to the
// host and outlives run_worker.
#pragma once

#include <bitset>
#include <cstdint>
#include <span>

#include "core/engine/endpoint.hpp"
#include "core/engine/phase.hpp"
#include "core/engine/run_result.hpp"
#include "core/engine/run_spec.hpp"
#include "core/stats/worker_stats.hpp"
#include "ringload/plugin.h"

// Not in a namespace: the C entry of backend modules names it.
struct WorkerCtx {
    const rl::engine::RunSpec* spec = nullptr;
    uint32_t index = 0;
    int cpu = -1;          // to pin to; -1: leave it to the scheduler
    bool may_spin = true;  // false where spinning would take the processor from another worker
    std::span<const rl::engine::Endpoint> endpoints;
    const std::bitset<1000>* success = nullptr;  // statuses that count as success
    const rl_source_ops* source = nullptr;
    void* source_shared = nullptr;
    const rl_pacer_ops* pacer = nullptr;
    void* pacer_shared = nullptr;
    const rl_value* backend_values = nullptr;
    rl::stats::WorkerStats* stats = nullptr;
    rl::engine::RunControl* control = nullptr;

    // Written by the worker before it counts itself as finished.
    rl::engine::WorkerFacts facts;
    rl::engine::StopReason stop = rl::engine::StopReason::duration;
    uint64_t window_end_ns = 0;     // when its part of the window ended
    uint64_t slots_scheduled = 0;   // slots that it owned before that
    uint64_t last_issue_ns = 0;     // with a schedule: when its last request left; 0 if none did
    uint64_t connections_live = 0;  // at that instant
    char tls_failure[512] = {};     // why the first handshake failed; empty: none did
};
