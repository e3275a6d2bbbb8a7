// The io_uring backend: how connections end, and what is done when the kernel ran out of something. Included by backend.hpp alone.
//
// A connection is over when every completion that was counted for it has come: only then may its slot be used again.
#pragma once

#include "backends/io_uring/backend.hpp"

namespace rl::uring {

// Entering the kernel failed. True: that may pass, and what is queued stays queued.
inline bool IoUringBackend::outlasts(int refusal) noexcept {
    constexpr uint64_t kLongest = 5'000'000'000;  // a shortage of that length is no spell of bad luck
    const int error = ring_.broken() != 0 ? -ring_.broken() : -refusal;
    if (ring_.broken() == 0) {
        if (error == ETIME) refused_since_ = 0;
        if (error == ETIME || error == EINTR) return true;
        const bool shortage = error == EAGAIN || error == EBUSY || error == ENOMEM || error == ENOBUFS;
        if (shortage && refused_since_ == 0) refused_since_ = clock_.now();
        if (shortage && clock_.now() - refused_since_ < kLongest) return true;
    }
    error_ = "io_uring_enter failed: " + os_text(error) + (refused_since_ != 0 ? ", for five seconds" : "");
    return false;
}

// A receive completed without octets.
inline void IoUringBackend::receive_ended(uint32_t index, int32_t result) noexcept {
    Slot& slot = slots_[index];
    if (slot.state != State::open) return finish_closing(index);
    if (result == -ENOBUFS) {
        // Every buffer was out. They come back at the end of this turn, and the receive with them.
        ++counters_.starved;
        rearm_.push(index);
    } else if (result == -ECANCELED || result == -EINTR) {
        arm_receive(index);  // taken back by skip()
    } else {
        begin_closing(index, result == 0 ? kind_of_end(slot) : backends::error_of(-result));
    }
}

// A send failed. The connection ends with its receiving side, behind what the peer may still have sent.
inline void IoUringBackend::sending_broke(uint32_t index, int32_t result) noexcept {
    Slot& slot = slots_[index];
    if (slot.state != State::open) return;
    slot.sends.queued = 0;
    slot.sends.sent = 0;
    if (result == -EPIPE) {
        slot.cut = true;
        return;
    }
    slot.error = backends::error_of(-result);
    // Out of memory and the like: the connection stands, but its stream has a hole, and no receive will ever say so.
    if (slot.error != IoError::reset && slot.error != IoError::timed_out) begin_closing(index, slot.error);
}

// The stream ended. The kernel reports a reset once: if a send took it, the receive only sees the end, and a send that had got rid of
// some octets hides even that. So where sends were under way the state of the connection is asked.
inline engine::IoError IoUringBackend::kind_of_end(const Slot& slot) noexcept {
    if (slot.error != IoError::none) return slot.error;
    if (!slot.sending && !slot.cut) return IoError::peer_closed;
    ++other_syscalls_;
    return backends::is_broken(slot.fd) ? IoError::reset : IoError::peer_closed;
}

// A request to cancel found nothing, or (while closing) is done.
inline void IoUringBackend::cancelled(uint32_t index) noexcept {
    Slot& slot = slots_[index];
    if (slot.state != State::closing || !slot.cancelling) return;
    slot.cancelling = false;
    --slot.pending;
    finish_closing(index);
}

inline void IoUringBackend::begin_closing(uint32_t index, IoError error) noexcept {
    Slot& slot = slots_[index];
    const bool connecting = slot.state == State::connecting;
    slot.state = State::closing;
    slot.error = error;
    slot.sends.queued = 0;
    if (slot.pending != 0) {
        // A send that waits for room begins anew after a cancel, until all of it is out (MSG_WAITALL); this ends it for good. Where
        // a cancel takes back only one request, it ends the receive as well. A connect would begin anew after it.
        const bool shut = slot.sending || (!abilities_.cancel_by_descriptor && !connecting);
        if (shut) {
            ::shutdown(slot.fd, SHUT_RDWR);
            ++other_syscalls_;
            if (!abilities_.cancel_by_descriptor) return;
        }
        io_uring_sqe* sqe = ring_.entry();
        sqe->opcode = IORING_OP_ASYNC_CANCEL;
        if (abilities_.cancel_by_descriptor) {
            sqe->fd = slot.fd;
            sqe->cancel_flags = IORING_ASYNC_CANCEL_FD | IORING_ASYNC_CANCEL_ALL;  // KERNEL: since 5.19
        } else {
            sqe->addr = cookie_of(Op::connect, index, slot);
        }
        sqe->user_data = cookie_of(Op::cancel, index, slot);
        slot.cancelling = true;
        ++slot.pending;
    }
    finish_closing(index);
}

inline void IoUringBackend::finish_closing(uint32_t index) noexcept {
    Slot& slot = slots_[index];
    if (slot.state != State::closing || slot.pending != 0 || slot.fd < 0) return;
    ::close(slot.fd);
    ++other_syscalls_;
    --open_slots_;
    slot.fd = -1;
    over_.push(index);
}

}  // namespace rl::uring
