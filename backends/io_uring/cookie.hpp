// The 64-bit user data of a request: what it was, and whose: operation (8 bits), generation (24), slot (32).
#pragma once

#include <cstdint>

#include "core/engine/ids.hpp"

namespace rl::uring {

enum class Op : uint8_t { connect = 1, receive, discard, send_settled, send, cancel };

struct Cookie {
    static constexpr uint32_t kGenerationMask = 0xffffff;

    static constexpr uint64_t make(Op op, uint32_t slot, uint32_t generation) noexcept {
        return static_cast<uint64_t>(op) << 56 | uint64_t{generation & kGenerationMask} << 32 | slot;
    }
    static constexpr Op op(uint64_t cookie) noexcept { return static_cast<Op>(cookie >> 56); }
    static constexpr uint32_t slot(uint64_t cookie) noexcept { return static_cast<uint32_t>(cookie); }
    static constexpr uint32_t generation(uint64_t cookie) noexcept { return static_cast<uint32_t>(cookie >> 32) & kGenerationMask; }
};

}  // namespace rl::uring
