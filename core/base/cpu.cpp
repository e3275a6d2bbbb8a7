// Affinity by the scheduler's calls, topology from sysfs.
#include "core/base/cpu.hpp"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

#include "core/base/units.hpp"

namespace rl {
namespace {

constexpr unsigned kCpuMax = 65'535;  // more than any kernel has; bounds what a list can ask for

struct FreeSet {
    void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};
using CpuSet = std::unique_ptr<cpu_set_t, FreeSet>;

// The mask's size is not known beforehand: the kernel refuses a buffer that is too small for its own.
std::vector<unsigned> affinity_of_process() {
    std::vector<unsigned> ids;
    for (unsigned count = 1024; count <= kCpuMax + 1; count *= 2) {
        const CpuSet set(CPU_ALLOC(count));
        if (!set) break;
        const size_t size = CPU_ALLOC_SIZE(count);
        CPU_ZERO_S(size, set.get());
        if (sched_getaffinity(0, size, set.get()) != 0) {
            if (errno == EINVAL) continue;
            break;
        }
        for (unsigned id = 0; id < count; ++id) {
            if (CPU_ISSET_S(id, size, set.get())) ids.push_back(id);
        }
        break;
    }
    if (ids.empty()) ids.push_back(0);
    return ids;
}

bool read_number(const std::string& path, unsigned& out) {
    std::ifstream file(path);
    std::string text;
    if (!(file >> text)) return false;
    const auto value = parse_count(text, 0, 0xffff'ffff);
    if (value) out = static_cast<unsigned>(*value);
    return value.has_value();
}

}  // namespace

std::vector<Cpu> describe_cpus(const std::vector<unsigned>& ids, const std::string& sysfs) {
    constexpr unsigned kUnknownPackage = 0xffff'ffff;
    std::vector<Cpu> cpus;
    std::map<std::pair<unsigned, unsigned>, unsigned> threads;  // (package, core): allowed CPUs seen so far
    std::vector<unsigned> sorted = ids;
    std::sort(sorted.begin(), sorted.end());
    for (const unsigned id : sorted) {
        Cpu cpu{id, id, kUnknownPackage, 0};
        const std::string folder = sysfs + "/cpu" + std::to_string(id) + "/topology/";
        unsigned core = 0, package = 0;
        if (read_number(folder + "core_id", core) && read_number(folder + "physical_package_id", package)) {
            cpu.core = core;
            cpu.package = package;
        }
        cpu.thread = threads[{cpu.package, cpu.core}]++;
        cpus.push_back(cpu);
    }
    std::sort(cpus.begin(), cpus.end(), [](const Cpu& a, const Cpu& b) { return std::tie(a.thread, a.id) < std::tie(b.thread, b.id); });
    return cpus;
}

std::vector<Cpu> allowed_cpus(const std::string& sysfs) { return describe_cpus(affinity_of_process(), sysfs); }

Result<std::vector<unsigned>> parse_cpu_list(std::string_view text) {
    std::vector<unsigned> list;
    std::vector<bool> seen(kCpuMax + 1);
    for (;;) {
        const size_t comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        const size_t dash = item.find('-');
        const auto first = parse_count(item.substr(0, dash), 0, kCpuMax);
        if (!first) return first.error();
        const auto last = dash == std::string_view::npos ? first : parse_count(item.substr(dash + 1), 0, kCpuMax);
        if (!last) return last.error();
        if (*last < *first) return failure(Error::usage, std::string("\"").append(item).append("\" runs backwards"));
        for (uint64_t id = *first; id <= *last; ++id) {
            const auto cpu = static_cast<unsigned>(id);
            if (seen[cpu]) return failure(Error::usage, "CPU " + std::to_string(cpu) + " is listed twice");
            seen[cpu] = true;
            list.push_back(cpu);
        }
        if (comma == std::string_view::npos) return list;
        text.remove_prefix(comma + 1);
    }
}

std::vector<int> automatic_pins(const std::vector<Cpu>& allowed, size_t workers) {
    std::vector<int> pins(workers, -1);
    if (workers >= allowed.size()) return pins;
    for (size_t i = 0; i < workers; ++i) pins[i] = static_cast<int>(allowed[i].id);
    return pins;
}

Result<std::vector<int>> listed_pins(const std::vector<Cpu>& allowed, const std::vector<unsigned>& list, size_t workers) {
    for (const unsigned id : list) {
        const bool known = std::any_of(allowed.begin(), allowed.end(), [id](const Cpu& cpu) { return cpu.id == id; });
        if (known) continue;
        std::string text = "CPU " + std::to_string(id) + " is not one that this process may use; it has ";
        for (size_t i = 0; i < allowed.size() && i < 16; ++i) text.append(i > 0 ? "," : "").append(std::to_string(allowed[i].id));
        if (allowed.size() > 16) text += ",...";
        return failure(Error::usage, std::move(text));
    }
    std::vector<int> pins(workers, -1);
    for (size_t i = 0; i < workers && !list.empty(); ++i) pins[i] = static_cast<int>(list[i % list.size()]);
    return pins;
}

Result<void> pin_this_thread(unsigned cpu) {
    const CpuSet set(CPU_ALLOC(cpu + 1));
    if (!set) return failure(Error::resource, "no memory for a CPU mask");
    const size_t size = CPU_ALLOC_SIZE(cpu + 1);
    CPU_ZERO_S(size, set.get());
    CPU_SET_S(cpu, size, set.get());
    const int error = pthread_setaffinity_np(pthread_self(), size, set.get());
    if (error == 0) return {};
    return failure(Error::resource, "cannot run a worker on CPU " + std::to_string(cpu) + ": " + os_text(error), error);
}

}  // namespace rl
