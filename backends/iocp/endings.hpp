// The iocp backend: how connections end. Included by backend.hpp alone.
//
// A connection is over when every operation that was begun on it has come back: only then may its blocks and its slot be used again.
#pragma once

#include "backends/iocp/backend.hpp"

namespace rl::iocp {

// It never came to a connect that is under way.
inline void IocpBackend::refuse(uint32_t index, int error) noexcept {
    Slot& slot = slots_[index];
    if (slot.socket != INVALID_SOCKET) {
        ::closesocket(slot.socket);
        ++other_syscalls_;
        slot.socket = INVALID_SOCKET;
    }
    slot.state = State::refused;
    slot.error = error_of(error);
    over_.push(index);
}

// A send failed. The connection ends with its receiving side, behind what the peer may still have sent.
inline void IocpBackend::sending_broke(uint32_t index, int error) noexcept {
    Slot& slot = slots_[index];
    slot.sends.queued = 0;
    slot.sends.sent = 0;
    slot.error = error_of(error);
    // Out of memory and the like: the connection stands, but its stream has a hole, and no receive will ever say so.
    if (slot.error != IoError::reset && slot.error != IoError::timed_out) begin_closing(index, slot.error);
}

// A receive came back without octets. A reset is told of once, to whoever asks first: if that was a send, this is only the end.
inline void IocpBackend::receive_ended(uint32_t index, int error) noexcept {
    const IoError broken = slots_[index].error;
    begin_closing(index, error != 0 ? error_of(error) : broken != IoError::none ? broken : IoError::peer_closed);
}

inline void IocpBackend::begin_closing(uint32_t index, IoError error) noexcept {
    Slot& slot = slots_[index];
    slot.state = State::closing;
    slot.error = error;
    slot.sends.queued = 0;
    if (slot.pending != 0) {
        ++other_syscalls_;
        ::CancelIoEx(reinterpret_cast<HANDLE>(slot.socket), nullptr);  // what is done already comes back by itself
    }
    finish_closing(index);
}

inline void IocpBackend::finish_closing(uint32_t index) noexcept {
    Slot& slot = slots_[index];
    if (slot.state != State::closing || slot.pending != 0 || slot.socket == INVALID_SOCKET) return;
    let_go(slot);
    over_.push(index);
}

inline void IocpBackend::let_go(Slot& slot) noexcept {
    ::closesocket(slot.socket);
    ++other_syscalls_;
    --open_slots_;
    slot.socket = INVALID_SOCKET;
}

}  // namespace rl::iocp
