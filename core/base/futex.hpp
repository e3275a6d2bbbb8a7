// Waiting for a 32-bit word that another thread changes, and waking those who wait (futex(2)).
//
// WHY not std::atomic::wait: it counts waiters in a table of its own, of which the program and every backend module have one each, so
// that a notification from one is lost on the other.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdint>

namespace rl {

// Returns when the word may have changed from `seen`, a wake came, a signal was handled, or after timeout_ns (0: none). Look again.
inline void wait_for_change(const std::atomic<uint32_t>& word, uint32_t seen, uint64_t timeout_ns) noexcept {
    static_assert(sizeof(word) == sizeof(uint32_t));
    const timespec time{static_cast<time_t>(timeout_ns / 1'000'000'000), static_cast<long>(timeout_ns % 1'000'000'000)};
    ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, timeout_ns == 0 ? nullptr : &time, nullptr, 0);
}

inline void wake_all(const std::atomic<uint32_t>& word) noexcept {
    ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0);
}

}  // namespace rl
