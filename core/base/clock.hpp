// The run's clock: nanoseconds, monotonic, comparable with CLOCK_MONOTONIC.
//
// Where the kernel itself trusts the time stamp counter, reading it directly costs half of clock_gettime. The scale is learned from the
// two clocks and corrected while running (follow()), over an ever longer base line, so that it drifts by no more than the clocks' own
// reading error. One TscClock belongs to one thread.
#pragma once

#include <time.h>

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace rl {

inline uint64_t monotonic_ns() noexcept {
    timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
}

// CPU time of the calling thread.
inline uint64_t thread_cpu_ns() noexcept {
    timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<uint64_t>(t.tv_nsec);
}

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

    // Learns the scale again and meets CLOCK_MONOTONIC; time steps back by no more than the error that had gathered. Call it a few
    // times in the first second and every second later; cheap enough for a worker's loop.
    void follow() noexcept;

    bool uses_counter() const noexcept { return scale_ != 0; }
    static const char* name_of(bool uses_counter) noexcept { return uses_counter ? "tsc" : "CLOCK_MONOTONIC"; }

  private:
    void anchor() noexcept;

    uint64_t tick_base_ = 0, ns_base_ = 0, scale_ = 0;  // ns = ns_base + (ticks - tick_base) * scale / 2^32
    uint64_t tick_first_ = 0, ns_first_ = 0;            // the long base line
};

}  // namespace rl
