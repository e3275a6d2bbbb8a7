// A process of its own for the plug-in under test: what it does to its process is seen from outside.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "tools/rl_plugin_check/life_cycle.hpp"

namespace rl::plugin_check {

inline constexpr unsigned kTimeLimitSeconds = 20;

// The exit code of check() in a process of its own. Fails with Error::plugin if that process died or did not end in time, in words that
// name the step; with Error::resource if it cannot be started. `words` is the command line of this process, program name included.
Result<int> run_apart(const std::vector<std::string>& words, const std::function<int(Progress&)>& check);

// Where the system cannot split a process in two, run_apart() runs this program again with one more word. In that process: takes the word
// off and returns where the life is noted. Otherwise nullptr.
Progress* shared_with_parent(std::vector<std::string>& words);

}  // namespace rl::plugin_check
