// When the next request may go out. Asks the pacer for due slots in batches; costs one compare where there is no schedule.
//
// Slots that are due and find no free connection stay where they are: in the pacer, as a position on its timeline. So a backlog of any
// length takes no memory, and no due time is ever moved.
#pragma once

#include <array>
#include <cstdint>

#include "core/engine/request_ring.hpp"
#include "ringload/plugin.h"

namespace rl::engine {

class Pacing {
  public:
    enum class Kind : uint8_t { unlimited, pacer, source };

    // cap: late slots lapse instead of waiting (LoadModel::closed with a rate).
    void open(const rl_pacer_ops* ops, void* self, bool cap) noexcept {
        ops_ = ops;
        self_ = self;
        cap_ = cap;
        kind_ = (ops->flags & RL_PACER_UNLIMITED) != 0     ? Kind::unlimited
                : (ops->flags & RL_PACER_FROM_SOURCE) != 0 ? Kind::source
                                                           : Kind::pacer;
    }
    void start(uint64_t start_ns) noexcept {
        start_ns_ = start_ns;
        next_ns_ = 0;
        at_ = granted_ = 0;
        asked_ = false;
    }
    // A timeline of the source goes on behind what a warm-up took of it: `passed` of time, or, if that is 0, up to the next request.
    void go_on_from(uint64_t now_ns, int64_t passed, RequestRing& requests) noexcept {
        const rl_request* const next = requests.peek();
        const int64_t at = passed != 0 ? passed : next == nullptr || next->due_ns == RL_DUE_NONE ? 0 : next->due_ns;
        start_ns_ = now_ns - static_cast<uint64_t>(at);
    }

    // The pacer has no slot that is not taken, and never will have one.
    bool ended() const noexcept { return kind_ == Kind::pacer && asked_ && next_ns_ == UINT64_MAX && at_ == granted_; }
    bool unlimited() const noexcept { return kind_ == Kind::unlimited; }
    bool failed() const noexcept { return failed_; }

    // HOT. True if a slot is due by now_ns, or if there is no schedule; pop() takes it.
    bool has_due(uint64_t now_ns, RequestRing& requests) noexcept {
        if (kind_ == Kind::unlimited) return true;
        if (kind_ == Kind::source) return source_due(now_ns, requests);
        for (int asks = 0;; ++asks) {
            // Where slots come faster than they can be passed over, the cap binds nobody.
            if (asks == kAsksMost) return at_ != granted_;
            while (at_ != granted_) {
                if (!cap_ || now_ns <= start_ns_ + due_[at_] + kCapLapse) return true;
                ++at_;
            }
            if (now_ns < next_ns_ || failed_) return false;
            ask(now_ns);
            if (at_ == granted_) return false;
        }
    }
    // The due time of the slot that has_due() found, on the run's clock; 0 without a schedule.
    uint64_t due_ns() const noexcept {
        if (kind_ == Kind::unlimited) return 0;
        return kind_ == Kind::source ? source_due_ns_ : start_ns_ + due_[at_];
    }
    // Takes it, and says when it was due.
    uint64_t pop() noexcept {
        if (kind_ == Kind::unlimited) return 0;
        if (kind_ == Kind::source) return source_due_ns_;
        return start_ns_ + due_[at_++];
    }
    // The instant at which the next slot may be due; UINT64_MAX if none is known.
    uint64_t next_ns() const noexcept { return kind_ == Kind::unlimited ? UINT64_MAX : next_ns_; }

    bool from_source() const noexcept { return kind_ == Kind::source; }
    // The pacer itself knows its timeline.
    bool tells() const noexcept { return kind_ == Kind::pacer && ops_->scheduled != nullptr; }

    // Slots that this worker owned before the end of the window.
    uint64_t scheduled(uint64_t end_ns) const noexcept {
        if (kind_ != Kind::pacer || ops_->scheduled == nullptr) return 0;
        return ops_->scheduled(self_, end_ns - start_ns_);
    }

  private:
    static constexpr int kAsksMost = 1000;
    static constexpr uint64_t kCapLapse = 100'000'000;  // a cap may be caught up with for so long

    void ask(uint64_t now_ns) noexcept {
        uint64_t next = INT64_MAX;
        const int32_t n =
            ops_->grant(self_, now_ns > start_ns_ ? now_ns - start_ns_ : 0, due_.data(), static_cast<uint32_t>(due_.size()), &next);
        at_ = granted_ = 0;
        asked_ = true;
        if (n < 0 || n > static_cast<int32_t>(due_.size())) {
            failed_ = true;
            return;
        }
        granted_ = static_cast<uint32_t>(n);
        next_ns_ = next >= INT64_MAX ? UINT64_MAX : start_ns_ + next;
    }
    bool source_due(uint64_t now_ns, RequestRing& requests) noexcept {
        const rl_request* next = requests.peek();
        if (next == nullptr) {
            next_ns_ = UINT64_MAX;
            return false;
        }
        source_due_ns_ = next->due_ns == RL_DUE_NONE ? now_ns : start_ns_ + static_cast<uint64_t>(next->due_ns);
        next_ns_ = source_due_ns_;
        return source_due_ns_ <= now_ns;
    }

    const rl_pacer_ops* ops_ = nullptr;
    void* self_ = nullptr;
    Kind kind_ = Kind::unlimited;
    bool cap_ = false, failed_ = false, asked_ = false;
    uint64_t start_ns_ = 0, next_ns_ = 0, source_due_ns_ = 0;
    uint32_t at_ = 0, granted_ = 0;
    std::array<uint64_t, 64> due_{};  // offsets from the start: at_..granted_
};

}  // namespace rl::engine
