// SIGINT and SIGTERM: the first one of either asks the run to end, the next one quits at once. SIGPIPE is an error of write().
#pragma once

#include <atomic>

namespace rl::cli {

// Installs the handlers for the life of the process. 0 until a signal came, then its number.
const std::atomic<int>& catch_signals();

}  // namespace rl::cli
