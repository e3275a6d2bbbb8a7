// Time-outs of connections: one timer for each slot, armed lazily.
//
// A hashed wheel of ticks (Varghese and Lauck, 1987, scheme 6). A timer fires at its tick or, if it was armed past the horizon, early;
// the owner then looks at the true deadline and arms again. So a request that is answered costs the wheel nothing at all: its deadline
// is only compared when the timer of its connection comes round. A timer never fires before its deadline unless past the horizon, and
// at most one tick after it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <span>

#include "core/base/arena.hpp"

namespace rl::engine {

class TimerWheel {
  public:
    static constexpr uint32_t kTicks = 1024;

    // Timers 0..timers-1, all disarmed; the wheel starts at now_ns.
    void open(Arena& arena, uint32_t timers, uint64_t tick_ns, uint64_t now_ns) {
        links_ = arena.array<Link>(timers + kTicks);
        for (uint32_t i = 0; i < timers + kTicks; ++i) links_[i] = {i, i, kDisarmed};
        timers_ = timers;
        tick_ns_ = tick_ns;
        base_ns_ = now_ns;
        current_ = 0;
        used_.fill(0);
    }

    bool armed(uint32_t timer) const noexcept { return links_[timer].tick != kDisarmed; }

    // HOT when a connection leaves idleness. The timer must be disarmed.
    void arm(uint32_t timer, uint64_t deadline_ns) noexcept {
        uint64_t tick = deadline_ns <= base_ns_ ? 0 : (deadline_ns - base_ns_ + tick_ns_ - 1) / tick_ns_;  // round up: never early
        if (tick <= current_) tick = current_ + 1;
        if (tick >= current_ + kTicks) tick = current_ + kTicks - 1;
        const uint32_t slot = static_cast<uint32_t>(tick % kTicks);
        Link& head = links_[timers_ + slot];
        links_[timer] = {head.next, timers_ + slot, slot};
        links_[head.next].prev = timer;
        head.next = timer;
        used_[slot / 64] |= uint64_t{1} << (slot % 64);
    }

    void disarm(uint32_t timer) noexcept {
        Link& link = links_[timer];
        if (link.tick == kDisarmed) return;
        unlink(timer);
        clear_if_empty(link.tick);
        link.tick = kDisarmed;
    }

    // Calls fire(timer) for each timer whose tick has come, disarmed before; fire may arm it again.
    template <class F>
    void expire(uint64_t now_ns, F&& fire) {
        if (now_ns < base_ns_) return;
        const uint64_t target = (now_ns - base_ns_) / tick_ns_;
        if (target <= current_) return;
        if (target - current_ >= kTicks) current_ = target - kTicks;  // once round serves everything that is due
        while (current_ < target) {
            ++current_;
            const uint32_t slot = static_cast<uint32_t>(current_ % kTicks);
            if (!(used_[slot / 64] >> (slot % 64) & 1)) continue;
            // Timers armed by fire() go to later ticks, so this list only shrinks.
            const uint32_t head = timers_ + slot;
            while (links_[head].next != head) {
                const uint32_t timer = links_[head].next;
                unlink(timer);
                links_[timer].tick = kDisarmed;
                fire(timer);
            }
            clear_if_empty(slot);
        }
    }

    // The earliest instant at which expire() may have something to do; UINT64_MAX if nothing is armed.
    uint64_t next_ns() const noexcept {
        for (uint32_t step = 1; step < kTicks;) {
            const uint32_t slot = static_cast<uint32_t>((current_ + step) % kTicks);
            const uint64_t word = used_[slot / 64] >> (slot % 64);
            if (word == 0) {
                step += 64 - slot % 64;
                continue;
            }
            step += static_cast<uint32_t>(std::countr_zero(word));
            return step < kTicks ? base_ns_ + (current_ + step) * tick_ns_ : UINT64_MAX;
        }
        return UINT64_MAX;
    }

  private:
    static constexpr uint32_t kDisarmed = UINT32_MAX;
    struct Link {
        uint32_t next, prev;  // a ring through the head of its tick
        uint32_t tick;        // slot of the wheel, or kDisarmed
    };
    void unlink(uint32_t timer) noexcept {
        links_[links_[timer].prev].next = links_[timer].next;
        links_[links_[timer].next].prev = links_[timer].prev;
    }
    void clear_if_empty(uint32_t slot) noexcept {
        if (links_[timers_ + slot].next == timers_ + slot) used_[slot / 64] &= ~(uint64_t{1} << (slot % 64));
    }

    std::span<Link> links_;  // timers, then one head for each tick
    uint32_t timers_ = 0;
    uint64_t tick_ns_ = 1, base_ns_ = 0, current_ = 0;
    std::array<uint64_t, kTicks / 64> used_{};  // ticks that have timers
};

}  // namespace rl::engine
