// The self-audit of a run: whether its figures may be believed, and if not, why and what to change. Reads only the RunResult.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/engine/run_result.hpp"

namespace rl::report {

enum class Verdict : uint8_t {
    valid,
    client_saturated,  // ringload itself was, or may have been, the bottleneck
    inconsistent,      // figures contradict each other
};
std::string_view verdict_name(Verdict verdict) noexcept;

enum class CheckState : uint8_t { passed, failed, not_applicable };

struct Check {
    std::string_view name;  // "outcomes" "schedule" "littles_law" "wall_time"
    CheckState state = CheckState::not_applicable;
    std::string detail;  // the figures that were compared, or why there was nothing to compare
};

struct Audit {
    Verdict verdict = Verdict::valid;
    std::string reason;
    std::vector<Check> checks;
    std::optional<double> client_cpu_percent;  // of the busiest worker
    std::optional<double> worst_stall_ms;
    std::optional<double> mean_in_flight;  // rate of answers times mean latency
    uint64_t syscalls = 0;
    std::optional<double> syscalls_per_request;
    std::string backend, switches;
};

Audit audit(const engine::RunResult& run);

}  // namespace rl::report
