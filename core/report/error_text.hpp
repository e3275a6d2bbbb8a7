// A failure in transport in words, for the message of its row in a report.
#pragma once

#include <string>

#include "core/engine/run_result.hpp"

namespace rl::report {

// One sentence without a full stop, of the first failure that was met of this kind; "" where no more is known than its word says.
std::string error_text(const engine::RunResult& run, stats::TransportError error);

}  // namespace rl::report
