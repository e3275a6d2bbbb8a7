// WaitOnAddress. ORDER: the words are read and written by the callers; the system compares under its own lock.
//
// Its table of waiters is the system's, one for a process, so that a wake from one module reaches another.
#include <windows.h>

#include "core/base/futex.hpp"

namespace rl {

void wait_for_change(const std::atomic<uint32_t>& word, uint32_t seen, uint64_t timeout_ns) noexcept {
    static_assert(sizeof(word) == sizeof(uint32_t));
    constexpr uint64_t kMillisecond = 1'000'000;
    const uint64_t rounded = (timeout_ns + kMillisecond - 1) / kMillisecond;
    const DWORD time = timeout_ns == 0 || rounded >= INFINITE ? INFINITE : static_cast<DWORD>(rounded);
    // The call takes a pointer to mutable memory for what it only reads.
    ::WaitOnAddress(const_cast<std::atomic<uint32_t>*>(&word), &seen, sizeof seen, time);
}

void wake_all(const std::atomic<uint32_t>& word) noexcept { ::WakeByAddressAll(const_cast<std::atomic<uint32_t>*>(&word)); }

}  // namespace rl
