// Which CPUs this process may use, how they hang together, and which worker runs where.
//
// Cold path, control thread; only pin_this_thread() is called by a worker, once, before it opens anything. Plans are plain functions
// of the CPUs found, so that tests can hand in machines which are not there.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"

namespace rl {

struct Cpu {
    unsigned id = 0;       // the kernel's number
    unsigned core = 0;     // unique within the package
    unsigned package = 0;  // socket
    unsigned thread = 0;   // 0 for the first allowed CPU of its core, 1 for the next, ...
};

// CPUs of the affinity mask of this process, first threads of all cores before any second thread, then by number. The topology is
// read below `sysfs`; a CPU which the tree does not describe counts as a core of its own. Never empty.
std::vector<Cpu> allowed_cpus(const std::string& sysfs = "/sys/devices/system/cpu");

// The same for given CPU numbers: what allowed_cpus() does once it has the mask.
std::vector<Cpu> describe_cpus(const std::vector<unsigned>& ids, const std::string& sysfs);

// "0,2-5" in the order given. CPU numbers may not repeat: two workers on one CPU are never what was meant.
Result<std::vector<unsigned>> parse_cpu_list(std::string_view text);

// One CPU number for each worker, or -1 for "wherever the scheduler likes". Physical cores are used up before their second threads.
// Pins nobody unless a CPU is left over: with every CPU taken, a pinned worker could not step aside for the target, the kernel's own
// work or a neighbour, and would only stall.
std::vector<int> automatic_pins(const std::vector<Cpu>& allowed, size_t workers);

// The listed CPUs in order, one for each worker, starting over when the list is shorter. Fails on a CPU that is not allowed.
Result<std::vector<int>> listed_pins(const std::vector<Cpu>& allowed, const std::vector<unsigned>& list, size_t workers);

Result<void> pin_this_thread(unsigned cpu);

}  // namespace rl
