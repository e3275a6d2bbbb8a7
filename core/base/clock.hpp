// The run's clock: nanoseconds, monotonic, comparable with the system's own (CLOCK_MONOTONIC, QueryPerformanceCounter).
//
// Where the kernel itself trusts the time stamp counter, reading it directly costs half of asking the kernel. The scale is learned from the
// two clocks and corrected while running (follow()), over an ever longer base line, so that it drifts by no more than the clocks' own
// reading error. One TscClock belongs to one thread.
#pragma once

#if !defined(_WIN32)
#include <time.h>
#endif

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace rl {

#if defined(_WIN32)
uint64_t monotonic_ns() noexcept;
#else
inline uint64_t monotonic_ns() noexcept {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
}
#endif

// CPU time of the calling thread.
uint64_t thread_cpu_ns() noexcept;

// The step of monotonic_ns().
uint64_t clock_resolution_ns() noexcept;

class TscClock {
  public:
    // Takes about 2 ms where the counter is used: the time needed to learn its scale to 0.01 %.
    TscClock() noexcept;

    // HOT.
    uint64_t now() const noexcept {
#if defined(__x86_64__)
        if (scale_ != 0) [[likely]] {
            const uint64_t ticks = __rdtsc() - tick_base_;
            __extension__ typedef unsigned __int128 Wide;
            return ns_base_ + static_cast<uint64_t>((static_cast<Wide>(ticks) * scale_) >> 32);
        }
#endif
        return monotonic_ns();
    }

    // Learns the scale again and meets the system's clock; time steps back by no more than the error that had gathered. Call it a few
    // times in the first second and every second later; cheap enough for a worker's loop.
    void follow() noexcept;

    bool uses_counter() const noexcept { return scale_ != 0; }
    static const char* name_of(bool uses_counter) noexcept;

  private:
    static bool kernel_trusts_counter() noexcept;
    void anchor() noexcept;

    uint64_t tick_base_ = 0, ns_base_ = 0, scale_ = 0;  // ns = ns_base + (ticks - tick_base) * scale / 2^32
    uint64_t tick_first_ = 0, ns_first_ = 0;            // the long base line
};

}  // namespace rl
