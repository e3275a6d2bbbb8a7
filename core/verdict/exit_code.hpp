// The one place that ranks what may have happened in a run into an exit status. Pure functions of the result.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/engine/run_result.hpp"

namespace rl::verdict {

// Statuses that scripts rely on; --help and the manual list them.
inline constexpr int kHeld = 0;
inline constexpr int kUsage = 2;        // command line, file, plug-in, or a report that could not be written
inline constexpr int kUnreachable = 3;  // no HTTP answer at all, and at least one transport error
inline constexpr int kInvalid = 4;      // the figures should not be believed, and the run was to fail then
inline constexpr int kInterrupted = 130, kTerminated = 143;

struct Outcome {
    int exit_code = kHeld;
    std::string_view name = "passed";  // as in the report: passed failed target_unreachable invalid interrupted terminated
};

enum class Measurement : uint8_t { believed, invalid };  // invalid: by the audit, and only where the run is to fail for it

// A run that broke down outranks an unreachable target, that an invalid measurement, and that a signal, which the person knows of.
Outcome judge(const engine::RunResult& run, Measurement measurement) noexcept;

}  // namespace rl::verdict
