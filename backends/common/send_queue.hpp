// What the connections of a worker have queued to send, each in the order of its stream. How it is written is the backend's.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "core/base/arena.hpp"
#include "core/base/assert.hpp"
#include "core/engine/backend_concept.hpp"

namespace rl::backends {

class SendQueue {
  public:
    static constexpr int kGather = 16;  // most pieces of one gathered write

    // Where one connection stands in its part of the queue; lies in its slot.
    struct Place {
        uint16_t head = 0, queued = 0;
        uint64_t sent = 0;  // octets of the oldest queued send that are gone
    };

    void open(Arena& arena, uint32_t connections_max, uint32_t pipeline_depth) {
        mask_ = std::bit_ceil(pipeline_depth + 1) - 1;
        // WHY not array(): its constructors would touch every page, and most connections never have more than one send queued.
        refs_ = static_cast<engine::SendRef*>(arena.allocate(sizeof(engine::SendRef) * connections_max * (mask_ + 1), 64));
    }

    void push(uint32_t slot, Place& place, const engine::SendRef& ref) noexcept {
        RL_DCHECK(place.queued <= mask_);
        at(slot, place.head + place.queued++) = ref;
    }

    // The octets of the only queued send, if they lie in one piece; else a write must gather().
    bool is_one_piece(uint32_t slot, const Place& place) const noexcept { return place.queued == 1 && at(slot, place.head).body_len == 0; }
    std::pair<const uint8_t*, uint32_t> one_piece(uint32_t slot, const Place& place) const noexcept {
        const engine::SendRef& first = at(slot, place.head);
        return {first.head + place.sent, static_cast<uint32_t>(first.head_len - place.sent)};
    }

    // piece(octets, size) for as much as one write can carry.
    template <class Piece>
    void gather(uint32_t slot, const Place& place, Piece&& piece) const noexcept {
        int count = 0;
        uint64_t passed = place.sent;
        for (uint16_t i = 0; i < place.queued && count + 2 <= kGather; ++i) {
            const engine::SendRef& ref = at(slot, place.head + i);
            for (const auto& [p, length] : {std::pair(ref.head, ref.head_len), std::pair(ref.body, ref.body_len)}) {
                if (passed >= length) {
                    passed -= length;
                    continue;
                }
                piece(const_cast<uint8_t*>(p) + passed, static_cast<uint32_t>(length - passed));
                ++count;
                passed = 0;
            }
        }
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
    engine::SendRef& at(uint32_t slot, uint32_t index) const noexcept { return refs_[size_t{slot} * (mask_ + 1) + (index & mask_)]; }

    engine::SendRef* refs_ = nullptr;  // BORROWS: from the arena
    uint32_t mask_ = 0;
};

}  // namespace rl::backends
