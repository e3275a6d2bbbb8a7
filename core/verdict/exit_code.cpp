// The ranking itself; each line outranks those below it.
#include "core/verdict/exit_code.hpp"

namespace rl::verdict {

Outcome judge(const engine::RunResult& run, Measurement measurement) noexcept {
    if (run.stop == engine::StopReason::failed) return {kUsage, "failed"};
    const bool answered = run.stats.counters.get(stats::Counter::responses) > 0;
    if (!answered && run.stats.transport_errors() > 0) return {kUnreachable, "target_unreachable"};
    if (measurement == Measurement::invalid) return {kInvalid, "invalid"};
    if (run.stop == engine::StopReason::interrupted) return {kInterrupted, "interrupted"};
    if (run.stop == engine::StopReason::terminated) return {kTerminated, "terminated"};
    return {};
}

}  // namespace rl::verdict
