// A queue of fixed capacity for one thread; memory from an arena.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.hpp"
#include "core/base/assert.hpp"

namespace rl {

template <class T>
class Ring {
  public:
    void open(Arena& arena, size_t capacity) {
        items_ = arena.array<T>(std::bit_ceil(capacity == 0 ? size_t{1} : capacity));
        mask_ = items_.size() - 1;
    }
    bool empty() const noexcept { return head_ == tail_; }
    size_t size() const noexcept { return tail_ - head_; }
    void push(T item) noexcept {
        RL_DCHECK(size() <= mask_);
        items_[tail_++ & mask_] = item;
    }
    T pop() noexcept {
        RL_DCHECK(!empty());
        return items_[head_++ & mask_];
    }

  private:
    std::span<T> items_;
    size_t mask_ = 0, head_ = 0, tail_ = 0;
};

}  // namespace rl
