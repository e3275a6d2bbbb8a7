// What the control thread and the workers share: one word for the phase, one instant, and a count at the barrier.
#pragma once

#include <atomic>
#include <cstdint>

#include "core/base/futex.hpp"

namespace rl::engine {

enum Phase : uint32_t {
    kPrepare,  // workers open their backend and meet at the barrier
    kWarmUp,   // from start_ns on, nothing counts; workers meet at the barrier again
    kRun,      // from start_ns on
    kStop,     // end at once: interrupted, or another worker cannot go on
};

struct RunControl {
    alignas(64) std::atomic<uint32_t> phase{kPrepare};  // a Phase. ORDER: start_ns is released with it
    std::atomic<uint64_t> start_ns{0};                  // ORDER: written before phase becomes run
    alignas(64) std::atomic<uint32_t> ready{0};  // ORDER: workers that came to a barrier, or have failed; two barriers with a warm-up
    std::atomic<uint32_t> finished{0};           // ORDER: workers whose statistics are final
    std::atomic<bool> broken{false};             // ORDER: a worker cannot go on; its text is read after it was joined
    std::atomic<uint32_t> prepared{0};           // ORDER: 0, 1 while one worker prepares what all share, then 2
    std::atomic<uint64_t> first_send_ns{0};      // ORDER: first request of the run handed over, for the start-up figure
};

inline void count_up(std::atomic<uint32_t>& count) noexcept {
    count.fetch_add(1, std::memory_order_release);  // ORDER: what the worker wrote before is done
    wake_all(count);
}

// Exactly one worker calls prepare(), and all return when it is done.
template <class Prepare>
void prepare_once(RunControl& control, Prepare&& prepare) {
    uint32_t state = 0;
    if (control.prepared.compare_exchange_strong(state, 1, std::memory_order_acq_rel)) {  // ORDER: what was prepared is seen with 2
        prepare();
        control.prepared.store(2, std::memory_order_release);  // ORDER: as above
        wake_all(control.prepared);
        return;
    }
    while (control.prepared.load(std::memory_order_acquire) != 2) wait_for_change(control.prepared, 1, 0);  // ORDER: as above
}

// Counts this worker at the barrier and waits until the phase `now` is over. False: the run was stopped meanwhile.
inline bool meet_at_barrier(RunControl& control, Phase now) noexcept {
    count_up(control.ready);
    while (control.phase.load(std::memory_order_acquire) == now) {  // ORDER: acquires start_ns
        wait_for_change(control.phase, now, 0);
    }
    return control.phase.load(std::memory_order_relaxed) != kStop;  // ORDER: acquired above
}

}  // namespace rl::engine
