// One row a second while a run goes on: the difference between two looks at the workers' statistics. Control thread.
#pragma once

#include <cstdint>
#include <span>

#include "core/engine/run_result.hpp"
#include "core/stats/worker_stats.hpp"

namespace rl::engine {

class Sampler {
  public:
    Sampler(std::span<const stats::WorkerStats* const> workers, uint64_t start_ns)
        : workers_(workers), start_ns_(start_ns), last_ns_(start_ns) {}

    // The interval since the last row, up to now_ns.
    Sample take(uint64_t now_ns);
    // Something happened since the last row, or there was none.
    bool has_rest(uint64_t end_ns) const noexcept;

  private:
    struct Totals {
        uint64_t requests = 0, responses = 0, ok = 0, errors = 0, bytes_received = 0, live = 0;
    };
    Totals totals() const noexcept;

    std::span<const stats::WorkerStats* const> workers_;
    uint64_t start_ns_, last_ns_;
    Totals before_;
    stats::Histogram earlier_;  // service times up to the last row
};

}  // namespace rl::engine
