// The io_uring backend: octets out and in. Sends that are silent or reported, receives that stay armed or drop bodies unread.
// Included by backend.hpp alone.
#pragma once

#include "backends/io_uring/backend.hpp"

namespace rl::uring {

// HOT.
inline void IoUringBackend::send(ConnId id, engine::SendRef ref) noexcept {
    if (!is(id, State::open)) return;
    Slot& slot = slots_[id.slot];
    if (ref.settled && ref.body_len == 0 && slot.silent && slot.sends.queued == 0) [[likely]] {
        // The kernel takes settled octets at once; a success needs no completion. WAITALL: never half of it.
        io_uring_sqe* sqe = ring_.entry();
        sqe->opcode = IORING_OP_SEND;
        sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
        sqe->fd = slot.fd;
        sqe->addr = reinterpret_cast<uint64_t>(ref.head);
        sqe->len = ref.head_len;
        sqe->msg_flags = MSG_NOSIGNAL | MSG_WAITALL;
        sqe->user_data = cookie_of(Op::send_settled, id.slot, slot);
        if (ring_.queued() >= submit_every_) ring_.enter(0, 0, nullptr);
        return;
    }
    queue_.push(id.slot, slot.sends, ref);
    if (!slot.sending) start_send(id.slot);
}

// Everything that is queued on this connection, as far as it fits one gathered send.
inline void IoUringBackend::start_send(uint32_t index) noexcept {
    Slot& slot = slots_[index];
    slot.sending = true;
    ++slot.pending;
    io_uring_sqe* sqe = ring_.entry();
    sqe->fd = slot.fd;
    sqe->msg_flags = MSG_NOSIGNAL | MSG_WAITALL;
    sqe->user_data = cookie_of(Op::send, index, slot);
    if (queue_.is_one_piece(index, slot.sends)) {
        const auto [octets, size] = queue_.one_piece(index, slot.sends);
        sqe->opcode = IORING_OP_SEND;
        sqe->addr = reinterpret_cast<uint64_t>(octets);
        sqe->len = size;
        return;
    }
    fill_parts(slot, index);
    sqe->opcode = IORING_OP_SENDMSG;
    sqe->addr = reinterpret_cast<uint64_t>(&gathers_[index].message);
    sqe->len = 1;
}

inline void IoUringBackend::fill_parts(Slot& slot, uint32_t index) noexcept {
    Gather& gather = gathers_[index];
    int count = 0;
    queue_.gather(index, slot.sends, [&](uint8_t* octets, uint32_t size) { gather.parts[count++] = {octets, size}; });
    gather.message = {};
    gather.message.msg_iov = gather.parts;
    gather.message.msg_iovlen = static_cast<size_t>(count);
}

inline void IoUringBackend::skip(ConnId id, uint64_t octets) noexcept {
    if (!abilities_.discard || !is(id, State::open)) return;
    Slot& slot = slots_[id.slot];
    slot.skip = octets;
    slot.small = 0;
    if (slot.armed && slot.lasting && !slot.bulk) {
        // The receive that is armed would copy: take it back. What it has already received comes first, in order.
        io_uring_sqe* sqe = ring_.entry();
        sqe->opcode = IORING_OP_ASYNC_CANCEL;
        sqe->flags = IOSQE_CQE_SKIP_SUCCESS;
        sqe->addr = cookie_of(Op::receive, id.slot, slot);
        sqe->user_data = cookie_of(Op::cancel, id.slot, slot);
    }
    slot.bulk = true;
}

// What a receive into a buffer of the worker's own choice needs. False: all are out, and the connection waits for one.
inline bool IoUringBackend::take_buffer(uint32_t index) noexcept {
    Slot& slot = slots_[index];
    slot.buffer = buffers_.take();
    if (slot.buffer != BufferRing::kNone) return true;
    ++counters_.starved;
    rearm_.push(index);
    return false;
}

inline void IoUringBackend::arm_receive(uint32_t index) noexcept {
    Slot& slot = slots_[index];
    const bool own_buffer = abilities_.own_buffers && slot.skip == 0;
    if (own_buffer && !take_buffer(index)) return;
    slot.armed = true;
    ++slot.pending;
    io_uring_sqe* sqe = ring_.entry();
    sqe->opcode = IORING_OP_RECV;
    sqe->fd = slot.fd;
    if (abilities_.poll_first) sqe->ioprio = IORING_RECVSEND_POLL_FIRST;
    if (slot.skip != 0) {
        // With MSG_TRUNC a stream socket drops the octets without copying them (tcp(7)), so there is no buffer. And there must be none: a
        // real address with a length that runs past the end of the address space is refused.
        sqe->len = static_cast<uint32_t>(std::min<uint64_t>(slot.skip, kDiscardMost));
        sqe->msg_flags = MSG_TRUNC;
        sqe->user_data = cookie_of(Op::discard, index, slot);
        slot.lasting = false;
        return;
    }
    slot.lasting = abilities_.multishot && !slot.bulk;
    if (slot.lasting) {
        sqe->ioprio |= IORING_RECV_MULTISHOT;
    } else if (slot.bulk) {
        sqe->len = kHeadBytes;
    }
    sqe->user_data = cookie_of(Op::receive, index, slot);
    if (own_buffer) {
        sqe->addr = reinterpret_cast<uint64_t>(buffers_.data(slot.buffer));
        sqe->len = slot.bulk ? std::min(kHeadBytes, buffers_.size()) : buffers_.size();
        return;
    }
    sqe->flags = IOSQE_BUFFER_SELECT;
    sqe->buf_group = BufferRing::kGroup;
}

// HOT.
template <class Sink>
void IoUringBackend::received(Sink& sink, uint32_t index, const io_uring_cqe& cqe) noexcept {
    Slot& slot = slots_[index];
    const bool more = (cqe.flags & IORING_CQE_F_MORE) != 0;
    if (!more) {
        slot.armed = false;
        --slot.pending;
    }
    if (cqe.res > 0) [[likely]] {
        const uint32_t octets = static_cast<uint32_t>(cqe.res);
        const uint32_t buffer = more || !abilities_.own_buffers ? BufferRing::id_of(cqe) : slot.buffer;
        engine::Keep keep = engine::Keep::release;
        if (slot.state == State::open) {
            slot.skip = slot.skip > octets ? slot.skip - octets : 0;
            if (slot.bulk && slot.skip == 0 && ++slot.small > kSmallInARow) slot.bulk = false;
            keep = sink.on_bytes({index, slot.generation}, {buffers_.data(buffer), octets}, {buffer});
        }
        buffers_.done(buffer, octets, (cqe.flags & kCqeBufferMore) != 0, keep == engine::Keep::hold);
        if (more) return;
        if (slot.state == State::open) {
            arm_receive(index);
        } else {
            finish_closing(index);
        }
        return;
    }
    if (abilities_.own_buffers) buffers_.put_back(slot.buffer);
    receive_ended(index, cqe.res);
}

template <class Sink>
void IoUringBackend::discarded(Sink& sink, uint32_t index, int32_t result) noexcept {
    Slot& slot = slots_[index];
    slot.armed = false;
    --slot.pending;
    if (result <= 0) return receive_ended(index, result);
    if (slot.state == State::open) {
        const uint64_t octets = static_cast<uint32_t>(result);
        slot.skip -= std::min(slot.skip, octets);
        sink.on_skipped({index, slot.generation}, octets);
    }
    if (slot.state == State::open) {
        arm_receive(index);
    } else {
        finish_closing(index);
    }
}

template <class Sink>
void IoUringBackend::sent(Sink& sink, uint32_t index, int32_t result) noexcept {
    Slot& slot = slots_[index];
    slot.sending = false;
    --slot.pending;
    if (slot.state != State::open) return finish_closing(index);
    if (result < 0) return sending_broke(index, result);
    const uint32_t confirmed = queue_.take(index, slot.sends, static_cast<uint32_t>(result));
    if (slot.sends.queued != 0) start_send(index);
    if (confirmed != 0) sink.on_sent({index, slot.generation}, confirmed);
}

}  // namespace rl::uring
