// What a run found out, as the engine leaves it: facts and merged statistics. core/report turns it into the model that people see.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/units.hpp"
#include "core/engine/io_error.hpp"
#include "core/engine/run_spec.hpp"
#include "core/stats/worker_stats.hpp"

namespace rl::engine {

enum class StopReason : uint8_t {
    duration,      // the time was up
    requests,      // every request had its outcome
    source_ended,  // the source had no more requests, or the schedule no more slots
    gave_up,       // count-limited, and every connection failed too often in a row
    interrupted,   // SIGINT
    terminated,    // SIGTERM
    failed,        // a source or pacer could not go on, or a worker broke; `failure` says why
};

struct WorkerFacts {
    uint32_t index = 0;
    int cpu = -1;  // pinned to, or -1
    uint32_t connections_asked = 0;
    uint64_t cpu_ns = 0;    // CPU time of the worker's thread inside the window
    Nanos worst_stall = 0;  // longest turn of its loop
    std::string backend;    // "io_uring"
    std::string switches;   // "multishot, DEFER_TASKRUN, ..."
    uint64_t syscalls = 0;  // made by the backend inside the window
};

struct Sample {                                                                    // one second of the run
    Nanos at = 0, length = 0;                                                      // from the start of the run
    uint64_t requests = 0, responses = 0, ok = 0, errors = 0, bytes_received = 0;  // errors: transport errors
    uint64_t p50_ns = 0, p99_ns = 0;
    uint64_t connections_live = 0;
};

// Counters and histograms of all workers, added up once.
struct MergedStats {
    stats::Counters counters;
    stats::Histogram service, corrected, send_delay, connect, tls, first_byte;
    struct Status {
        unsigned code = 0;
        uint64_t count = 0;
        stats::Histogram service;
        bool exact = true;  // false: some answers share a histogram with other rare statuses and are missing from `service`
    };
    std::vector<Status> statuses;  // ascending by code
    uint64_t errors[stats::kTransportErrors] = {};
    IoError causes[stats::kTransportErrors] =
        {};  // the first cause of each that some worker met; none: not the kernel's doing, or not known
    uint64_t transport_errors() const noexcept {
        uint64_t sum = 0;
        for (uint64_t n : errors) sum += n;
        return sum;
    }
};

struct RunResult {
    RunSpec spec;
    StopReason stop = StopReason::duration;
    std::string failure;                 // with StopReason::failed
    bool warmed_up = true;               // false: it was stopped before its window began
    Nanos elapsed = 0;                   // the window: start barrier to last event, drain excluded
    Nanos startup = 0;                   // process start to first request handed over; 0 if none
    Nanos resolve = 0;                   // name look-up
    std::vector<std::string> addresses;  // "127.0.0.1:8080": every address used
    MergedStats stats;
    std::vector<WorkerFacts> workers;
    std::vector<Sample> series;
    uint64_t connections_live = 0;  // at the end of the window
    uint64_t connections_peak = 0;  // most that were ever open together
    bool has_schedule = false;      // a timeline was kept: LoadModel::scheduled or open
    uint64_t slots_scheduled = 0;   // due before the end
    Nanos issue_span = 0;           // with a schedule: from the start until the last request left
    std::string tls_failure;        // why the first handshake that failed did; empty: none did
    Nanos clock_resolution = 0;
    std::string clock;                  // "tsc" or "CLOCK_MONOTONIC"
    std::vector<std::string> warnings;  // whole sentences: a backend passed over, worker counts lowered, ...

    // stats.corrected is another distribution than stats.service.
    bool is_corrected() const noexcept {
        return spec.correction == Correction::wrk || (has_schedule && spec.correction == Correction::schedule);
    }
};

}  // namespace rl::engine
