// Receive buffers that the kernel picks from: lent, looked at, given back. One ring per worker, shared by all its connections.
//
// An incremental buffer is filled bit by bit by several receives (KERNEL: since 6.12), so a few large ones serve thousands of
// connections and stay in the cache. A buffer goes back to the kernel when it is used up and nobody holds a part of it.
//
// Where the kernel cannot pick (KERNEL: before 5.19) the worker takes a buffer for each receive that it arms; all else is the same.
#pragma once

#include <liburing.h>
#include <sys/mman.h>

#include <cstdint>
#include <span>

#include "backends/io_uring/kernel.hpp"
#include "core/base/arena.hpp"

namespace rl::uring {

class BufferRing {
  public:
    static constexpr uint16_t kGroup = 1;

    BufferRing() = default;
    ~BufferRing() { unmap(); }
    BufferRing(const BufferRing&) = delete;
    BufferRing& operator=(const BufferRing&) = delete;

    // count: a power of two. 0 or -errno; -EINVAL for a kind of ring which this kernel does not know.
    int open(io_uring* ring, uint32_t count, uint32_t size, bool incremental) noexcept;
    // Buffers that take() picks. 0 or -errno.
    int open_own(uint32_t count, uint32_t size) noexcept;

    static constexpr uint32_t kNone = UINT32_MAX;
    // The buffer that came back last, which is the one most likely in the cache; kNone: all are out. Only after open_own().
    uint32_t take() noexcept {
        if (tail_ == 0) return kNone;
        --tail_;
        return static_cast<uint32_t>((entries_[tail_].addr - reinterpret_cast<uint64_t>(memory_)) / size_);
    }
    // What take() gave was not used.
    void put_back(uint32_t id) noexcept { lend(id); }
    uint32_t size() const noexcept { return size_; }

    // HOT. Where the octets of the newest completion in this buffer lie.
    char* data(uint32_t id) const noexcept { return memory_ + size_t{id} * size_ + used_[id]; }
    static uint32_t id_of(const io_uring_cqe& cqe) noexcept { return cqe.flags >> IORING_CQE_BUFFER_SHIFT; }

    // HOT. The sink is done with this completion, or holds it.
    void done(uint32_t id, uint32_t octets, bool more, bool held) noexcept {
        pins_[id] += held;
        if (more) {
            used_[id] += octets;
            return;
        }
        retired_[id] = true;
        if (pins_[id] == 0) lend(id);
    }
    // A held completion is let go.
    void release(uint32_t id) noexcept {
        if (--pins_[id] == 0 && retired_[id]) lend(id);
    }
    // HOT. Makes what was given back visible to the kernel. ORDER: the entries are written.
    void publish() noexcept { __atomic_store_n(&ring()->tail, static_cast<uint16_t>(tail_), __ATOMIC_RELEASE); }

  private:
    io_uring_buf_ring* ring() const noexcept { return reinterpret_cast<io_uring_buf_ring*>(entries_); }
    int map_all(uint32_t places, uint32_t count, uint32_t size) noexcept;
    void unmap() noexcept;
    void lend(uint32_t id) noexcept {
        used_[id] = 0;
        retired_[id] = false;
        io_uring_buf& entry = entries_[tail_ & mask_];
        entry.addr = reinterpret_cast<uint64_t>(memory_ + size_t{id} * size_);
        entry.len = size_;
        entry.bid = static_cast<uint16_t>(id);
        ++tail_;
    }

    // WHY io_uring_buf*: in C++ the array of io_uring_buf_ring starts 8 octets too late with the headers of Linux 6.1.
    io_uring_buf* entries_ = nullptr;
    char* memory_ = nullptr;
    size_t entries_bytes_ = 0, memory_bytes_ = 0;
    uint32_t size_ = 0, mask_ = 0;
    uint32_t tail_ = 0;  // free buffers so far in the kernel's ring, or now in our own pile
    Arena arena_;
    std::span<uint32_t> used_, pins_;  // octets that are gone; completions that the sink holds
    std::span<bool> retired_;          // the kernel is done with it
};

}  // namespace rl::uring
