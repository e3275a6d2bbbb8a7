// The processors of this process's group, of which a group has at most 64: a process starts in one group, and its threads stay there.
#include <windows.h>

#include <bit>
#include <cstddef>
#include <cstring>
#include <utility>

#include "core/base/cpu.hpp"

namespace rl {
namespace {

// Calls each(mask, index) for every record of this relation: a core or a package, with the processors that belong to it.
template <class F>
void each_record(LOGICAL_PROCESSOR_RELATIONSHIP relation, F&& each) {
    DWORD size = 0;
    ::GetLogicalProcessorInformationEx(relation, nullptr, &size);
    std::vector<std::byte> records(size);
    auto* const first = reinterpret_cast<SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(records.data());
    if (size == 0 || ::GetLogicalProcessorInformationEx(relation, first, &size) == 0) return;
    unsigned index = 0;
    for (size_t at = 0; at < size; ++index) {
        const auto* const record = reinterpret_cast<const SYSTEM_LOGICAL_PROCESSOR_INFORMATION_EX*>(records.data() + at);
        if (record->Size == 0) return;
        for (WORD group = 0; group < record->Processor.GroupCount; ++group) {
            if (record->Processor.GroupMask[group].Group == 0) each(record->Processor.GroupMask[group].Mask, index);
        }
        at += record->Size;
    }
}

}  // namespace

std::vector<Cpu> allowed_cpus() {
    DWORD_PTR process = 0, system = 0;
    ::GetProcessAffinityMask(::GetCurrentProcess(), &process, &system);
    if (process == 0) process = 1;
    std::vector<Cpu> cpus;
    for (unsigned id = 0; id < sizeof process * 8; ++id) {
        if ((process >> id & 1) != 0) cpus.push_back({id, id, kPackageUnknown, 0});
    }
    const auto describe = [&cpus](LOGICAL_PROCESSOR_RELATIONSHIP relation, unsigned Cpu::*field) {
        each_record(relation, [&](KAFFINITY mask, unsigned index) {
            for (Cpu& cpu : cpus) {
                if ((mask >> cpu.id & 1) != 0) cpu.*field = index;
            }
        });
    };
    describe(RelationProcessorCore, &Cpu::core);
    describe(RelationProcessorPackage, &Cpu::package);
    return in_order_of_use(std::move(cpus));
}

Result<void> pin_this_thread(unsigned cpu) {
    const bool possible = cpu < sizeof(DWORD_PTR) * 8;
    if (possible && ::SetThreadAffinityMask(::GetCurrentThread(), DWORD_PTR{1} << cpu) != 0) return {};
    const int error = possible ? static_cast<int>(::GetLastError()) : ERROR_INVALID_PARAMETER;
    return failure(Error::resource, "cannot run a worker on CPU " + std::to_string(cpu) + ": " + os_text(error), error);
}

}  // namespace rl
