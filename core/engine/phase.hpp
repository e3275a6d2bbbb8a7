// What the control thread and the workers share: one word for the phase, one instant, and a count at the barrier.
#pragma once

#include <atomic>
#include <cstdint>

namespace rl::engine {

enum Phase : uint32_t {
    kPrepare,  // workers open their backend and meet at the barrier
    kRun,      // from start_ns on
    kStop,     // end at once: interrupted, or another worker cannot go on
};

struct RunControl {
    alignas(64) std::atomic<uint32_t> phase{kPrepare};  // a Phase. ORDER: start_ns is released with it
    std::atomic<uint64_t> start_ns{0};                  // ORDER: written before phase becomes run
    alignas(64) std::atomic<uint32_t> ready{0};         // ORDER: workers that wait at the barrier, or have failed
    std::atomic<uint32_t> finished{0};                  // ORDER: workers whose statistics are final
    std::atomic<bool> broken{false};                    // ORDER: a worker cannot go on; its text is read after it was joined
    std::atomic<uint64_t> first_send_ns{0};             // ORDER: first request of the run handed over, for the start-up figure
};

}  // namespace rl::engine
