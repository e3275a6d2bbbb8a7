// Handles by the Windows API, which counts them and knows no limit that a process could set itself.
#include <windows.h>
// winternl.h needs it before.
#include <winternl.h>

#include <vector>

#include "tests/conformance/process_limits.hpp"

namespace rl::conformance {
namespace {

// The table of all handles of all processes; its layout is not in the headers.
struct Entry {
    void* object;
    ULONG_PTR process, handle;
    ULONG access;
    USHORT trace, type;
    ULONG attributes, reserved;
};
struct Table {
    ULONG_PTR count, reserved;
    Entry entries[1];
};
constexpr ULONG kExtendedHandleInformation = 64;

std::optional<uint32_t> count_in_table() {
    using Query = NTSTATUS(NTAPI*)(ULONG, void*, ULONG, ULONG*);
    const auto query =
        reinterpret_cast<Query>(reinterpret_cast<void*>(::GetProcAddress(::GetModuleHandleW(L"ntdll.dll"), "NtQuerySystemInformation")));
    std::vector<ULONG_PTR> memory(1u << 20);
    ULONG filled = 0;
    if (query == nullptr ||
        query(kExtendedHandleInformation, memory.data(), static_cast<ULONG>(memory.size() * sizeof memory[0]), &filled) != 0) {
        return std::nullopt;
    }
    const auto* const table = reinterpret_cast<const Table*>(memory.data());
    uint32_t mine = 0;
    for (ULONG_PTR i = 0; i < table->count; ++i) mine += table->entries[i].process == ::GetCurrentProcessId();
    return mine;
}

}  // namespace

// wine 8 answers the plain question always with 0, but keeps the table.
std::optional<uint32_t> open_descriptors() {
    DWORD n = 0;
    if (::GetProcessHandleCount(::GetCurrentProcess(), &n) != 0 && n != 0) return n;
    return count_in_table();
}

// There is no limit that a test would reach; the peers' poll() is what bounds the number of connections.
uint64_t descriptors_most() { return 4096; }

bool starve_descriptors(bool, uint64_t&) { return false; }

}  // namespace rl::conformance
