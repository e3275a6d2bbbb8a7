// Handles by the Windows API, which counts them and knows no limit that a process could set itself.
#include <windows.h>

#include "tests/conformance/process_limits.hpp"

namespace rl::conformance {

// wine 8 answers, and always with 0.
std::optional<uint32_t> open_descriptors() {
    DWORD n = 0;
    if (::GetProcessHandleCount(::GetCurrentProcess(), &n) == 0 || n == 0) return std::nullopt;
    return n;
}

// There is no limit that a test would reach; the peers' poll() is what bounds the number of connections.
uint64_t descriptors_most() { return 4096; }

bool starve_descriptors(bool, uint64_t&) { return false; }

}  // namespace rl::conformance
