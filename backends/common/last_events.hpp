// The last event of connections that are over: what all backends deliver alike, whatever their slots hold besides.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/ring.hpp"
#include "core/engine/ids.hpp"

namespace rl::backends {

// Takes from `over` what stands in it now and tells the sink: a slot in State::refused never opened, any other is closed. Those which the
// sink ends meanwhile come with the next call. A slot has generation, state and error. Returns how many events there were.
template <class Slots, class Sink>
uint32_t deliver_last_events(Ring<uint32_t>& over, Slots& slots, Sink& sink) noexcept {
    uint32_t delivered = 0;
    for (size_t left = over.size(); left != 0; --left, ++delivered) {
        const uint32_t index = over.pop();
        auto& slot = slots[index];
        using State = decltype(slot.state);
        const bool refused = slot.state == State::refused;
        const engine::ConnId id{index, slot.generation};
        slot.state = State::none;
        if (refused) {
            sink.on_open(id, slot.error);
        } else {
            sink.on_closed(id, slot.error);
        }
    }
    return delivered;
}

}  // namespace rl::backends
