// futex(2). ORDER: the words are read and written by the callers; the kernel compares under its own lock.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <climits>

#include "core/base/futex.hpp"

namespace rl {

void wait_for_change(const std::atomic<uint32_t>& word, uint32_t seen, uint64_t timeout_ns) noexcept {
    static_assert(sizeof(word) == sizeof(uint32_t));
    const timespec time{static_cast<time_t>(timeout_ns / 1'000'000'000), static_cast<long>(timeout_ns % 1'000'000'000)};
    ::syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, seen, timeout_ns == 0 ? nullptr : &time, nullptr, 0);
}

void wake_all(const std::atomic<uint32_t>& word) noexcept { ::syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, INT_MAX, nullptr, nullptr, 0); }

}  // namespace rl
