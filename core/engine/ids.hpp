// Small strong ids of the engine.
#pragma once

#include <cstdint>

namespace rl::engine {

// A connection of one worker: a slot, and how often the slot was used before. A completion that carries an older generation belongs
// to a connection which is gone, and is dropped.
struct ConnId {
    uint32_t slot = 0;
    uint32_t generation = 0;
    friend constexpr bool operator==(ConnId, ConnId) = default;
};

// Names the buffer that lies under a span handed to the sink; meaningful to the backend alone.
struct BufferToken {
    uint32_t value = 0;
};

}  // namespace rl::engine
