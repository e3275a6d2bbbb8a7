// The iocp backend: octets out and in. Included by backend.hpp alone.
#pragma once

#include "backends/iocp/backend.hpp"

namespace rl::iocp {

// HOT.
inline void IocpBackend::send(ConnId id, engine::SendRef ref) noexcept {
    if (!is(id, State::open)) return;
    Slot& slot = slots_[id.slot];
    queue_.push(id.slot, slot.sends, ref);
    if (slot.sending || slot.dirty) return;
    slot.dirty = true;
    dirty_.push(id.slot);
}

template <class Sink>
void IocpBackend::flush_dirty(Sink& sink) noexcept {
    while (!dirty_.empty()) {
        const uint32_t index = dirty_.pop();
        slots_[index].dirty = false;
        if (slots_[index].state == State::open && !slots_[index].sending) flush(sink, index);
    }
}

// HOT: everything that is queued on this connection, in as few sends as it takes. Sends that are over at once are told of here.
template <class Sink>
void IocpBackend::flush(Sink& sink, uint32_t index) noexcept {
    Slot& slot = slots_[index];
    while (slot.state == State::open && slot.sends.queued != 0) {
        WSABUF parts[SendQueue::kGather];  // the provider keeps no pointer to it
        const DWORD count = gather(slot, index, parts);
        Operation& operation = blocks_[index].out;
        operation.begin(Op::send);
        DWORD octets = 0;
        ++other_syscalls_;
        const bool at_once = ::WSASend(slot.socket, parts, count, &octets, 0, &operation.overlapped, nullptr) == 0;
        if (!at_once || !slot.silent) {
            const int error = at_once ? WSA_IO_PENDING : ::WSAGetLastError();
            if (error != WSA_IO_PENDING) return sending_broke(index, error);
            slot.sending = true;
            ++slot.pending;
            return;
        }
        take_sent(sink, index, octets);
    }
}

inline DWORD IocpBackend::gather(const Slot& slot, uint32_t index, WSABUF (&parts)[SendQueue::kGather]) noexcept {
    DWORD count = 0;
    queue_.gather(index, slot.sends, [&](uint8_t* octets, uint32_t size) { parts[count++] = {size, reinterpret_cast<CHAR*>(octets)}; });
    return count;
}

template <class Sink>
void IocpBackend::sent(Sink& sink, uint32_t index, Operation& operation, DWORD octets) noexcept {
    Slot& slot = slots_[index];
    slot.sending = false;
    if (slot.state != State::open) return finish_closing(index);
    if (!operation.succeeded()) return sending_broke(index, failure_of(slot.socket, operation));
    take_sent(sink, index, octets);
    if (slot.state == State::open && !slot.sending) flush(sink, index);
}

// So many octets are gone: which sends are over with that.
template <class Sink>
void IocpBackend::take_sent(Sink& sink, uint32_t index, DWORD octets) noexcept {
    Slot& slot = slots_[index];
    const uint32_t confirmed = queue_.take(index, slot.sends, octets);
    if (confirmed != 0) sink.on_sent({index, slot.generation}, confirmed);
}

// HOT. Octets that need not be looked at all go to the same place, whoever they are from.
inline void IocpBackend::arm_receive(uint32_t index) noexcept {
    Slot& slot = slots_[index];
    WSABUF into{kScratchBytes, scratch_};
    Op op = Op::discard;
    if (slot.skip != 0) {
        into.len = static_cast<ULONG>(std::min<uint64_t>(slot.skip, kScratchBytes));
    } else {
        op = Op::receive;
        slot.buffer = buffers_.take();
        if (slot.buffer == BufferPool::kNone) [[unlikely]] {
            ++counters_.starved;
            if (!slot.starving) starving_.push(index);
            slot.starving = true;
            return;
        }
        into = {buffers_.size(), buffers_.data(slot.buffer)};
    }
    Operation& operation = blocks_[index].in;
    operation.begin(op);
    DWORD octets = 0, flags = 0;
    ++other_syscalls_;
    const bool at_once = ::WSARecv(slot.socket, &into, 1, &octets, &flags, &operation.overlapped, nullptr) == 0;
    const int error = at_once ? 0 : ::WSAGetLastError();
    if (!at_once && error != WSA_IO_PENDING) {
        if (op == Op::receive) buffers_.give_back(slot.buffer);
        return receive_ended(index, error);
    }
    ++slot.pending;
    if (at_once && slot.silent) {
        operation.octets = octets;
        done_.push(&operation);
    }
}

// Connections that found no buffer try again.
inline void IocpBackend::feed_starving() noexcept {
    for (size_t left = starving_.size(); left != 0; --left) {
        const uint32_t index = starving_.pop();
        Slot& slot = slots_[index];
        slot.starving = false;
        if (slot.state == State::open && slot.buffer == BufferPool::kNone) arm_receive(index);
    }
}

template <class Sink>
void IocpBackend::received(Sink& sink, uint32_t index, Operation& operation, DWORD octets) noexcept {
    Slot& slot = slots_[index];
    const ConnId id{index, slot.generation};
    const uint32_t buffer = std::exchange(slot.buffer, BufferPool::kNone);
    const bool some = operation.succeeded() && octets != 0 && slot.state == State::open;
    if (operation.op == Op::discard) {
        if (some) {
            slot.skip -= std::min<uint64_t>(slot.skip, octets);
            sink.on_skipped(id, octets);
        }
    } else {
        engine::Keep keep = engine::Keep::release;
        if (some) {
            slot.skip -= std::min<uint64_t>(slot.skip, octets);
            keep = sink.on_bytes(id, {buffers_.data(buffer), octets}, {buffer});
        }
        if (keep == engine::Keep::release) buffers_.give_back(buffer);
    }
    if (slot.state != State::open) return finish_closing(index);
    if (!some) return receive_ended(index, operation.succeeded() ? 0 : failure_of(slot.socket, operation));
    flush_dirty(sink);  // the answer to what came goes out before the next receive is made
    if (slot.state == State::open) arm_receive(index);
}

}  // namespace rl::iocp
