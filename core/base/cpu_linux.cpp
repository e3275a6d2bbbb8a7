// Affinity by the scheduler's calls, topology from sysfs.
#include <pthread.h>
#include <sched.h>

#include <cerrno>
#include <fstream>
#include <memory>
#include <utility>

#include "core/base/cpu.hpp"
#include "core/base/units.hpp"

namespace rl {
namespace {

struct FreeSet {
    void operator()(cpu_set_t* set) const noexcept { CPU_FREE(set); }
};
using CpuSet = std::unique_ptr<cpu_set_t, FreeSet>;

// The mask's size is not known beforehand: the kernel refuses a buffer that is too small for its own.
std::vector<unsigned> affinity_of_process() {
    std::vector<unsigned> ids;
    for (unsigned count = 1024; count <= kCpuNumberMax + 1; count *= 2) {
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
    std::vector<Cpu> cpus;
    for (const unsigned id : ids) {
        Cpu cpu{id, id, kPackageUnknown, 0};
        const std::string folder = sysfs + "/cpu" + std::to_string(id) + "/topology/";
        unsigned core = 0, package = 0;
        if (read_number(folder + "core_id", core) && read_number(folder + "physical_package_id", package)) {
            cpu.core = core;
            cpu.package = package;
        }
        cpus.push_back(cpu);
    }
    return in_order_of_use(std::move(cpus));
}

std::vector<Cpu> allowed_cpus() { return describe_cpus(affinity_of_process(), "/sys/devices/system/cpu"); }

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
