// Which worker runs where: plain functions of the CPUs found. Finding and pinning is each system's own file.
#include "core/base/cpu.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/base/units.hpp"

namespace rl {

std::vector<Cpu> in_order_of_use(std::vector<Cpu> cpus) {
    std::map<std::pair<unsigned, unsigned>, unsigned> threads;  // (package, core): allowed CPUs seen so far
    std::sort(cpus.begin(), cpus.end(), [](const Cpu& a, const Cpu& b) { return a.id < b.id; });
    for (Cpu& cpu : cpus) cpu.thread = threads[{cpu.package, cpu.core}]++;
    std::sort(cpus.begin(), cpus.end(), [](const Cpu& a, const Cpu& b) { return std::tie(a.thread, a.id) < std::tie(b.thread, b.id); });
    return cpus;
}

Result<std::vector<unsigned>> parse_cpu_list(std::string_view text) {
    std::vector<unsigned> list;
    std::vector<bool> seen(kCpuNumberMax + 1);
    for (;;) {
        const size_t comma = text.find(',');
        const std::string_view item = text.substr(0, comma);
        const size_t dash = item.find('-');
        const auto first = parse_count(item.substr(0, dash), 0, kCpuNumberMax);
        if (!first) return first.error();
        const auto last = dash == std::string_view::npos ? first : parse_count(item.substr(dash + 1), 0, kCpuNumberMax);
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

}  // namespace rl
