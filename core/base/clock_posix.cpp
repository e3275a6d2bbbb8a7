// The clocks of POSIX, and whether Linux trusts the counter.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "core/base/clock.hpp"

namespace rl {

uint64_t thread_cpu_ns() noexcept {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
}

uint64_t clock_resolution_ns() noexcept {
    timespec t{};
    clock_getres(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
}

const char* TscClock::name_of(bool uses_counter) noexcept { return uses_counter ? "tsc" : "CLOCK_MONOTONIC"; }

// The kernel measures the counter against other clocks and stops using it where it is not steady or not the same on every processor.
bool TscClock::kernel_trusts_counter() noexcept {
#if defined(__linux__) && defined(__x86_64__)
    const int fd = ::open("/sys/devices/system/clocksource/clocksource0/current_clocksource", O_RDONLY | O_CLOEXEC);
    if (fd < 0) return false;
    char name[32] = {};
    const ssize_t n = ::read(fd, name, sizeof name - 1);
    ::close(fd);
    return n >= 3 && std::memcmp(name, "tsc", 3) == 0;
#else
    return false;
#endif
}

}  // namespace rl
