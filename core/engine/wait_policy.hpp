// How a worker waits for completions: sleep, spin, a batch at a time, or spin as long as that pays.
//
// WHY: a client that sleeps after every completion makes the target pay for waking it, and the whole pair slower; one that always spins
// burns a core for nothing when answers are slow. So `automatic` spins a little longer than the answers have been taking, and stops
// doing so while they do not come in time (bench/macro/run_matrix.py, cases c1 and nginx).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/engine/backend_concept.hpp"
#include "core/engine/run_spec.hpp"

namespace rl::engine {

class WaitPolicy {
  public:
    void open(Wait mode, bool may_spin) noexcept {
        mode_ = mode;
        may_spin_ = may_spin;
    }

    // HOT. awaiting: connections with requests in flight, at the least. due: the deadline is a request that must leave on time.
    WaitSpec next(uint32_t awaiting, uint64_t now_ns, uint64_t deadline_ns, bool due) noexcept {
        WaitSpec spec;
        spec.deadline_ns = deadline_ns;
        switch (mode_) {
            case Wait::sleep:
                break;
            case Wait::spin:
                spec.spin_ns = UINT64_MAX;
                break;
            case Wait::batch:
                if (awaiting >= kBatchFrom) {
                    spec.min_events = std::min(awaiting / 3, kBatchMost);
                    spec.batch_window_ns = kBatchWindow;
                }
                break;
            case Wait::automatic:
                if (!may_spin_) break;
                if (due) return towards_due(spec, now_ns);
                if (awaiting != 0 && (score_ > 0 || ++skipped_ >= kTryEvery)) {
                    skipped_ = 0;
                    spec.spin_ns = kSpin;
                }
                break;
        }
        return spec;
    }
    // HOT. What came of it.
    void learn(const WaitSpec& spec, const PollResult& result) noexcept {
        if (mode_ != Wait::automatic || spec.spin_ns != kSpin) return;
        score_ = result.slept ? std::max(score_ - 2, 0) : std::min(score_ + 1, kScoreMost);
    }

  private:
    static constexpr uint64_t kSpin = 100'000;        // longer than an answer of a quick server takes, wake-up included
    static constexpr uint64_t kWakeMargin = 100'000;  // what a sleeping processor may take to wake up
    static constexpr uint32_t kBatchFrom = 24, kBatchMost = 64;
    static constexpr uint64_t kBatchWindow = 500'000;
    static constexpr uint32_t kTryEvery = 32;
    static constexpr int32_t kScoreMost = 16;

    // Sleep until shortly before the due time, then spin up to it.
    static WaitSpec towards_due(WaitSpec spec, uint64_t now_ns) noexcept {
        if (spec.deadline_ns > now_ns + kWakeMargin) {
            spec.deadline_ns -= kWakeMargin;
        } else {
            spec.spin_ns = UINT64_MAX;
        }
        return spec;
    }

    Wait mode_ = Wait::automatic;
    bool may_spin_ = true;
    int32_t score_ = kScoreMost;
    uint32_t skipped_ = 0;
};

}  // namespace rl::engine
