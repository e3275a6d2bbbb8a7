// What pacers with a timeline of their own share: one worker's slots of it, granted as they become due and counted afterwards.
//
// Timeline is a copyable walk over the slots of the whole run: due_ns() of the current slot, which never decreases, and advance(). Where
// it can tell how many slots of the whole run are due before an instant it has slots_before(), which may answer kMustWalk.
#pragma once

#include <cstdint>
#include <span>

namespace rl::plugins {

inline constexpr uint64_t kNeverDue = INT64_MAX;

template <class Timeline>
class SlotWalk {
  public:
    // Worker `index` of `count` owns the slots k = index mod count.
    SlotWalk(const Timeline& start, uint32_t index, uint32_t count) noexcept
        : first_(moved(start, index)), at_(first_), index_(index), count_(count) {}

    // HOT. As rl_pacer_ops::grant.
    int32_t grant(uint64_t now_ns, std::span<uint64_t> due_ns, uint64_t& next_ns) noexcept {
        size_t n = 0;
        for (; n < due_ns.size() && at_.due_ns() <= now_ns; ++n) {
            due_ns[n] = last_ns_ = at_.due_ns();
            at_ = moved(at_, count_);
            ++granted_;
        }
        next_ns = at_.due_ns();
        return static_cast<int32_t>(n);
    }

    // As rl_pacer_ops::scheduled: goes on from where grant() stopped, on a copy.
    uint64_t scheduled(uint64_t end_ns) const noexcept {
        if constexpr (requires { first_.slots_before(end_ns); }) {
            if (const uint64_t all = first_.slots_before(end_ns); all != Timeline::kMustWalk) {
                return all / count_ + (index_ < all % count_ ? 1 : 0);
            }
        }
        Timeline at = at_;
        uint64_t slots = granted_;
        if (slots != 0 && last_ns_ >= end_ns) {
            at = first_;
            slots = 0;
        }
        for (; at.due_ns() < end_ns && at.due_ns() != kNeverDue; ++slots) at = moved(at, count_);
        return slots;
    }

  private:
    static Timeline moved(Timeline at, uint32_t slots) noexcept {
        for (uint32_t i = 0; i < slots; ++i) at.advance();
        return at;
    }

    Timeline first_, at_;
    uint32_t index_, count_;
    uint64_t granted_ = 0, last_ns_ = 0;  // how many slots, and when the last of them was due
};

}  // namespace rl::plugins
