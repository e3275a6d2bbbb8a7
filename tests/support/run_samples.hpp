// Runs that never were: fixed RunResults for tests of reports. Every figure is computed, so that outputs can be compared to the octet.
#pragma once

#include <string_view>
#include <vector>

#include "core/engine/run_result.hpp"

namespace rl::tests {

// "closed"       ten seconds of an unlimited closed loop, all well
// "overload"     a schedule that the target cannot follow
// "mixed"        statuses of all kinds, transport errors, abandoned requests, warnings
// "unreachable"  nothing but refused connections
// "empty"        no request at all
// "one"          one request, one answer
// "eight"        eight answers
// "hostile"      octets that are no UTF-8, and terminal controls, wherever text comes from outside
engine::RunResult run_sample(std::string_view name);

const std::vector<std::string_view>& run_sample_names();

}  // namespace rl::tests
