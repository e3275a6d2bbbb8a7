// Adds up what the workers measured. Control thread; exact once the workers have stopped, a few records torn while they run.
#pragma once

#include <span>

#include "core/engine/run_result.hpp"
#include "core/stats/worker_stats.hpp"

namespace rl::engine {

MergedStats merge_stats(std::span<const stats::WorkerStats* const> workers);

}  // namespace rl::engine
