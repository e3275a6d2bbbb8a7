// The one place that ranks what may have happened in a run into an exit status. Pure functions of the result.
#pragma once

#include <string_view>

#include "core/engine/run_result.hpp"

namespace rl::verdict {

// Statuses that scripts rely on; --help and the manual list them.
inline constexpr int kHeld = 0;
inline constexpr int kUsage = 2;        // command line, file, plug-in, or a report that could not be written
inline constexpr int kUnreachable = 3;  // no HTTP answer at all, and at least one transport error
inline constexpr int kInterrupted = 130, kTerminated = 143;

struct Outcome {
    int exit_code = kHeld;
    std::string_view name = "passed";  // as in the report: passed failed target_unreachable interrupted terminated
};

// A run that broke down outranks an unreachable target, which outranks a signal: the signal is what the person knows already.
Outcome judge(const engine::RunResult& run) noexcept;

}  // namespace rl::verdict
