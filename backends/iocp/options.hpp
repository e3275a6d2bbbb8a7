// The switches of the iocp backend: --iocp.NAME=VALUE.
#pragma once

#include <cstdint>

#include "ringload/plugin.h"

namespace rl::iocp {

struct Options {
    uint32_t buffer_size = 0;  // 0: by the number of connections
    uint32_t spare_buffers = 64;
    bool skip_success = true;
    bool high_resolution = true;

    // `values` come from kOptionTable; nullptr: the defaults.
    static Options from(const rl_value* values);
    uint32_t buffer_size_for(uint32_t connections) const noexcept;
};

inline constexpr uint32_t kOptionCount = 4;
extern const rl_option kOptionTable[kOptionCount];

}  // namespace rl::iocp
