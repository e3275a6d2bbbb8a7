// What the connections of a worker have queued to send, each in the order of its stream, and the writes that take it from there.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "backends/common/sockets.hpp"
#include "core/base/arena.hpp"
#include "core/base/assert.hpp"
#include "core/engine/backend_concept.hpp"

namespace rl::backends {

class SendQueue {
  public:
    // Where one connection stands in its part of the queue; lies in its slot.
    struct Place {
        uint16_t head = 0, queued = 0;
        uint64_t sent = 0;  // octets of the oldest queued send that are gone
    };

    void open(Arena& arena, uint32_t connections_max, uint32_t pipeline_depth) {
        mask_ = std::bit_ceil(pipeline_depth + 1) - 1;
        refs_ = arena.array<engine::SendRef>(size_t{connections_max} * (mask_ + 1));
    }

    void push(uint32_t slot, Place& place, const engine::SendRef& ref) noexcept {
        RL_DCHECK(place.queued <= mask_);
        at(slot, place.head + place.queued++) = ref;
    }

    // One write of as much as it can carry; `total` is what it tried. The result is that of send(2).
    ssize_t write(int fd, uint32_t slot, const Place& place, size_t& total) noexcept {
        const engine::SendRef& first = at(slot, place.head);
        if (place.queued == 1 && first.body_len == 0) {
            total = first.head_len - place.sent;
            return ::send(fd, first.head + place.sent, total, kSendQuietly);
        }
        return write_gathered(fd, slot, place, total);
    }

    // Takes out what n written octets complete: how many sends are to be confirmed.
    uint32_t take(uint32_t slot, Place& place, size_t n) noexcept {
        uint32_t confirmed = 0;
        place.sent += n;
        while (place.queued != 0) {
            const engine::SendRef& ref = at(slot, place.head);
            const uint64_t length = uint64_t{ref.head_len} + ref.body_len;
            if (place.sent < length) break;
            place.sent -= length;
            confirmed += ref.settled ? 0 : 1;
            ++place.head;
            --place.queued;
        }
        return confirmed;
    }

  private:
    static constexpr int kGather = 16;

    engine::SendRef& at(uint32_t slot, uint32_t index) noexcept { return refs_[size_t{slot} * (mask_ + 1) + (index & mask_)]; }

    ssize_t write_gathered(int fd, uint32_t slot, const Place& place, size_t& total) noexcept {
        iovec parts[kGather];
        int count = 0;
        uint64_t passed = place.sent;
        for (uint16_t i = 0; i < place.queued && count + 2 <= kGather; ++i) {
            const engine::SendRef& ref = at(slot, place.head + i);
            for (const auto& [p, length] : {std::pair(ref.head, ref.head_len), std::pair(ref.body, ref.body_len)}) {
                if (passed >= length) {
                    passed -= length;
                    continue;
                }
                parts[count++] = {const_cast<uint8_t*>(p) + passed, length - passed};
                total += length - passed;
                passed = 0;
            }
        }
        msghdr message{};
        message.msg_iov = parts;
        message.msg_iovlen = static_cast<decltype(message.msg_iovlen)>(count);
        return ::sendmsg(fd, &message, kSendQuietly);
    }

    std::span<engine::SendRef> refs_;
    uint32_t mask_ = 0;
};

}  // namespace rl::backends
