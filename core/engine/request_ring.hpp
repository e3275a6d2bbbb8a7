// The requests of one worker: asks the source for batches, hands out one request at a time, gives cookies and answers back in batches.
// HOT throughout: the source is called once for up to 64 requests.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <span>

#include "core/base/arena.hpp"
#include "ringload/plugin.h"

namespace rl::engine {

class RequestRing {
  public:
    static constexpr uint32_t kBatch = 64;

    // in_flight_max: most requests that are out at one time. Fills the first batch. False: the source failed at once.
    bool open(const rl_source_ops* ops, void* self, Arena& arena, uint32_t in_flight_max) {
        ops_ = ops;
        self_ = self;
        repeats_ = (ops->flags & RL_SOURCE_STATIC) != 0;
        wants_ = (ops->flags & RL_SOURCE_WANTS_RESPONSES) != 0 && ops->responses != nullptr;
        batch_ = arena.array<rl_request>(kBatch);
        if (!repeats_) {
            slab_ = arena.array<rl_request>(in_flight_max + 1);
            free_ = arena.array<uint32_t>(in_flight_max + 1);
            for (uint32_t i = 0; i <= in_flight_max; ++i) free_[i] = i;
            free_count_ = in_flight_max + 1;
        }
        refill();
        if (repeats_) uniform_ = all_alike();
        return !failed_;
    }

    bool repeats() const noexcept { return repeats_; }  // no request is ever given back: its octets never change
    bool failed() const noexcept { return failed_; }
    bool ended() const noexcept { return ended_ && at_ == filled_; }

    // The next request without taking it; nullptr if the source has none now.
    const rl_request* peek() noexcept {
        if (at_ == filled_) {
            if (repeats_ && filled_ != 0) {
                at_ = 0;
            } else {
                refill();
                if (at_ == filled_) return nullptr;
            }
        }
        return &batch_[at_];
    }
    // Takes what peek() showed; valid until recycle().
    const rl_request* pop() noexcept {
        if (repeats_) return &batch_[at_++];
        rl_request* kept = &slab_[free_[--free_count_]];
        *kept = batch_[at_++];
        return kept;
    }
    // Before a run of pops: where all requests are alike, starting over keeps their octets contiguous, so that they leave in one send.
    void rewind() noexcept {
        if (uniform_) at_ = 0;
    }

    // How a request ended, for sources that want to know.
    void tell(const rl_response& answer) noexcept {
        if (!wants_) return;
        answers_[answer_count_++] = answer;
        if (answer_count_ == kBatch) flush();
    }
    // The request is over and nobody reads its octets any more.
    void recycle(const rl_request* request) noexcept {
        if (repeats_) return;
        cookies_[cookie_count_++] = request->cookie;
        free_[free_count_++] = static_cast<uint32_t>(request - slab_.data());
        if (cookie_count_ == kBatch) flush();
    }
    bool wants_responses() const noexcept { return wants_; }

    // Once a turn: what has gathered goes back to the source.
    void flush() noexcept {
        if (answer_count_ != 0) ops_->responses(self_, answers_.data(), answer_count_);
        if (cookie_count_ != 0 && ops_->recycle != nullptr) ops_->recycle(self_, cookies_.data(), cookie_count_);
        answer_count_ = cookie_count_ = 0;
    }
    // At the end: requests that were never taken go back too.
    void close() noexcept {
        flush();
        if (repeats_) return;
        while (at_ != filled_) {
            cookies_[cookie_count_++] = batch_[at_++].cookie;
            if (cookie_count_ == kBatch) flush();
        }
        flush();
    }

  private:
    void refill() noexcept {
        if (ended_ || failed_) return;
        const int32_t n = ops_->fill(self_, batch_.data(), kBatch);
        at_ = filled_ = 0;
        if (n > static_cast<int32_t>(kBatch) || n == RL_FAIL || n < RL_END) {
            failed_ = true;
        } else if (n == RL_END) {
            ended_ = true;
        } else {
            filled_ = static_cast<uint32_t>(n);
        }
    }
    bool all_alike() const noexcept {
        for (uint32_t i = 1; i < filled_; ++i) {
            if (batch_[i].head_len != batch_[0].head_len || batch_[i].body_len != batch_[0].body_len ||
                batch_[i].flags != batch_[0].flags || batch_[i].body != batch_[0].body || batch_[i].klass != batch_[0].klass ||
                std::memcmp(batch_[i].head, batch_[0].head, batch_[0].head_len) != 0) {
                return false;
            }
        }
        return filled_ != 0;
    }

    const rl_source_ops* ops_ = nullptr;
    void* self_ = nullptr;
    std::span<rl_request> batch_;  // from the source, not yet taken: at_..filled_
    std::span<rl_request> slab_;   // taken and without an outcome
    std::span<uint32_t> free_;     // free places of slab_
    uint32_t at_ = 0, filled_ = 0, free_count_ = 0;
    uint32_t cookie_count_ = 0, answer_count_ = 0;
    bool repeats_ = false, uniform_ = false, wants_ = false, ended_ = false, failed_ = false;
    std::array<uint64_t, kBatch> cookies_{};
    std::array<rl_response, kBatch> answers_{};
};

}  // namespace rl::engine
