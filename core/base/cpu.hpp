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

inline constexpr unsigned kPackageUnknown = 0xffff'ffff;  // a CPU which the system does not describe counts as a core of its own
inline constexpr unsigned kCpuNumberMax = 65'535;         // more than any kernel has; bounds what a list can ask for

// CPUs of the affinity mask of this process, first threads of all cores before any second thread, then by number. Never empty.
std::vector<Cpu> allowed_cpus();

// The same for given CPU numbers, with the topology read below the folder `sysfs`. Linux alone.
std::vector<Cpu> describe_cpus(const std::vector<unsigned>& ids, const std::string& sysfs);

// Numbers the threads of each core and puts first threads of all cores before any second thread, then by number.
std::vector<Cpu> in_order_of_use(std::vector<Cpu> cpus);

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
