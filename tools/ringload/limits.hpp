// The process's own limits, raised before they can hurt.
#pragma once

#include "core/base/result.hpp"
#include "core/engine/run_spec.hpp"

namespace rl::cli {

// Raises the soft limit on open files to what the run needs. Fails, naming the limit, if the hard limit is below that.
Result<void> raise_file_limit(const engine::RunSpec& spec);

}  // namespace rl::cli
