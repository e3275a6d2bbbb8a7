// QueryPerformanceCounter. It is the time stamp counter where the system trusts that, at a price close to reading it: so the counter is
// never read by ourselves.
#include <windows.h>

#include "core/base/clock.hpp"

namespace rl {
namespace {

constexpr uint64_t kSecondNs = 1'000'000'000;

uint64_t steps_per_second() noexcept {
    LARGE_INTEGER frequency;
    ::QueryPerformanceFrequency(&frequency);
    return static_cast<uint64_t>(frequency.QuadPart);
}

uint64_t hundreds_of_ns(const FILETIME& time) noexcept { return (uint64_t{time.dwHighDateTime} << 32) | time.dwLowDateTime; }

}  // namespace

uint64_t monotonic_ns() noexcept {
    LARGE_INTEGER counter;
    ::QueryPerformanceCounter(&counter);
    const auto steps = static_cast<uint64_t>(counter.QuadPart);
    const uint64_t each_second = steps_per_second();
    return steps / each_second * kSecondNs + steps % each_second * kSecondNs / each_second;
}

uint64_t thread_cpu_ns() noexcept {
    FILETIME made, ended, kernel, user;
    if (::GetThreadTimes(::GetCurrentThread(), &made, &ended, &kernel, &user) == 0) return 0;
    return (hundreds_of_ns(kernel) + hundreds_of_ns(user)) * 100;
}

uint64_t clock_resolution_ns() noexcept {
    const uint64_t each_second = steps_per_second();
    return (kSecondNs + each_second - 1) / each_second;
}

const char* TscClock::name_of(bool uses_counter) noexcept { return uses_counter ? "tsc" : "QueryPerformanceCounter"; }

bool TscClock::kernel_trusts_counter() noexcept { return false; }

}  // namespace rl
