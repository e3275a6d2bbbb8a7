// One submission and completion queue pair. liburing sets it up and takes it down; queueing, entering and reaping are inline here, since
// the order in which they happen is what this backend is about. Single-threaded: belongs to the thread that called open().
#pragma once

#include <liburing.h>

#include <atomic>
#include <cstdint>
#include <cstring>

#include "core/base/result.hpp"

namespace rl::uring {

class SubmissionRing {
  public:
    SubmissionRing() = default;
    ~SubmissionRing() { close(); }
    SubmissionRing(const SubmissionRing&) = delete;
    SubmissionRing& operator=(const SubmissionRing&) = delete;

    // setup_flags: IORING_SETUP_*. completions: at least so many places in the completion queue. 0 or -errno.
    int open(uint32_t submissions, uint32_t completions, uint32_t setup_flags) noexcept;
    void close() noexcept;
    // Entering is cheaper afterwards. False: this kernel does not offer it.
    bool register_descriptor() noexcept;
    uint32_t features() const noexcept { return ring_.features; }
    io_uring* raw() noexcept { return &ring_; }

    // HOT. A zeroed entry. Submits what is queued when the queue is full.
    io_uring_sqe* entry() noexcept {
        io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
        for (int tries = 0; sqe == nullptr; ++tries) [[unlikely]] {
                // What was taken makes room: a kernel before 6.0 refuses submissions while completions do not fit (EBUSY).
                publish();
                const int n = enter(0, 0, nullptr);
                if (n < 0 && tries == kTriesMost) {
                    broken_ = n;
                    sqe = reinterpret_cast<io_uring_sqe*>(unused_);  // the next poll says that nothing goes out any more
                    break;
                }
                sqe = io_uring_get_sqe(&ring_);
            }
        std::memset(sqe, 0, sizeof *sqe);
        return sqe;
    }
    // ORDER: acquire and release pair with the kernel on the other side of the shared queues, here and below (io_uring(7)).
    uint32_t queued() const noexcept { return ring_.sq.sqe_tail - __atomic_load_n(ring_.sq.khead, __ATOMIC_ACQUIRE); }

    // HOT. Submits all that is queued; with wait != 0 or flags, completions are worked on too. Returns what the system call returned:
    // entries submitted, or -errno. wait_arg: nullptr, or the argument for IORING_ENTER_EXT_ARG.
    int enter(uint32_t wait, uint32_t flags, io_uring_getevents_arg* wait_arg) noexcept {
        // The index array is the identity since open(), so entries become visible by the tail alone.
        __atomic_store_n(ring_.sq.ktail, ring_.sq.sqe_tail, __ATOMIC_RELEASE);  // ORDER: the entries are written
        ++enters_;
        flags |= enter_flags_;
        if (wait_arg == nullptr) return io_uring_enter2(enter_fd_, queued(), wait, flags, nullptr, 8);
        return io_uring_enter2(enter_fd_, queued(), wait, flags | IORING_ENTER_EXT_ARG, reinterpret_cast<sigset_t*>(wait_arg),
                               sizeof *wait_arg);
    }

    // HOT.
    // ORDER: acquires the completions.
    uint32_t ready() const noexcept { return __atomic_load_n(ring_.cq.ktail, __ATOMIC_ACQUIRE) - head_; }
    const io_uring_cqe& front() const noexcept { return ring_.cq.cqes[head_ & ring_.cq.ring_mask]; }
    const io_uring_cqe& ahead(uint32_t places) const noexcept { return ring_.cq.cqes[(head_ + places) & ring_.cq.ring_mask]; }
    void pop() noexcept { ++head_; }
    // ORDER: the completions were read.
    void publish() noexcept { __atomic_store_n(ring_.cq.khead, head_, __ATOMIC_RELEASE); }
    uint64_t enters() const noexcept { return enters_; }

    int broken() const noexcept { return broken_; }  // 0, or -errno: the kernel takes no entries any more

  private:
    static constexpr int kTriesMost = 1000;
    io_uring ring_{};
    alignas(io_uring_sqe) unsigned char unused_[sizeof(io_uring_sqe)] = {};
    int broken_ = 0;
    uint32_t head_ = 0;
    uint32_t enter_flags_ = 0;
    unsigned enter_fd_ = 0;
    uint64_t enters_ = 0;
    bool open_ = false;
};

}  // namespace rl::uring
