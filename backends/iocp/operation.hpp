// The blocks that the kernel writes to while an operation of a connection is under way, at fixed places of its slot.
//
// A connection has at most one operation of each direction under way, so two blocks serve it for life. A slot is used again only when
// both are back: completions of an older generation cannot come.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "backends/iocp/winsock.hpp"

namespace rl::iocp {

enum class Op : uint8_t { connect, receive, discard, send };

struct Operation {
    OVERLAPPED overlapped;  // first, so that its address is that of the whole
    uint32_t slot;
    Op op;
    DWORD octets;  // of an operation that was done at once

    static Operation* of(OVERLAPPED* overlapped) noexcept { return reinterpret_cast<Operation*>(overlapped); }
    void begin(Op what) noexcept {
        overlapped = {};
        op = what;
    }
    // Zero is success in the numbers of the kernel too.
    bool succeeded() const noexcept { return overlapped.Internal == 0; }
};
static_assert(std::is_standard_layout_v<Operation> && offsetof(Operation, overlapped) == 0);

struct Blocks {
    Operation in;   // the connect, then receives
    Operation out;  // sends
};

// Why an operation failed, in Winsock's numbers.
inline int failure_of(SOCKET socket, Operation& operation) noexcept {
    DWORD octets = 0, flags = 0;
    return ::WSAGetOverlappedResult(socket, &operation.overlapped, &octets, FALSE, &flags) ? 0 : ::WSAGetLastError();
}

}  // namespace rl::iocp
