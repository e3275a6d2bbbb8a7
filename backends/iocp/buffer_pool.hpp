// Receive buffers of a worker: one for every connection, since a receive that waits keeps its buffer, and some to spare for those which
// the sink holds. The one that came back last is given out first, because it is still in the cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/base/arena.hpp"
#include "core/base/assert.hpp"

namespace rl::iocp {

class BufferPool {
  public:
    static constexpr uint32_t kNone = UINT32_MAX;

    void open(Arena& arena, uint32_t count, uint32_t size) {
        size_ = size;
        memory_ = static_cast<char*>(arena.allocate(size_t{count} * size, 4096));
        free_ = arena.array<uint32_t>(count);
        for (uint32_t i = 0; i < count; ++i) free_[i] = count - 1 - i;
        left_ = count;
    }
    // HOT. kNone: all are out.
    uint32_t take() noexcept { return left_ == 0 ? kNone : free_[--left_]; }
    void give_back(uint32_t buffer) noexcept {
        RL_DCHECK(left_ < free_.size());
        free_[left_++] = buffer;
    }
    char* data(uint32_t buffer) const noexcept { return memory_ + size_t{buffer} * size_; }
    uint32_t size() const noexcept { return size_; }

  private:
    char* memory_ = nullptr;
    uint32_t size_ = 0, left_ = 0;
    std::span<uint32_t> free_;
};

}  // namespace rl::iocp
