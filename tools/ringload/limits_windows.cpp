// SYSTEM: windows
// Handles are limited by memory alone.
#include "tools/ringload/limits.hpp"

namespace rl::cli {

Result<void> raise_file_limit(const engine::RunSpec& /*spec*/) { return {}; }

}  // namespace rl::cli
