// One write of what a connection has queued, for backends that are told when a socket has room.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include "backends/common/send_queue.hpp"
#include "backends/common/sockets.hpp"

namespace rl::backends {

// As much as it can carry; `total` is what it tried. The result is that of send(2).
inline ssize_t write_queued(const SendQueue& queue, int fd, uint32_t slot, const SendQueue::Place& place, size_t& total) noexcept {
    if (queue.is_one_piece(slot, place)) {
        const auto [octets, size] = queue.one_piece(slot, place);
        total = size;
        return ::send(fd, octets, size, kSendQuietly);
    }
    iovec parts[SendQueue::kGather];
    int count = 0;
    queue.gather(slot, place, [&](uint8_t* octets, uint32_t size) {
        parts[count++] = {octets, size};
        total += size;
    });
    msghdr message{};
    message.msg_iov = parts;
    message.msg_iovlen = static_cast<decltype(message.msg_iovlen)>(count);
    return ::sendmsg(fd, &message, kSendQuietly);
}

}  // namespace rl::backends
