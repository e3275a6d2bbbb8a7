#include "backends/iocp/options.hpp"

#include <algorithm>
#include <bit>

namespace rl::iocp {
namespace {

enum Index : uint32_t { kBufferSize, kSpareBuffers, kSkipSuccess, kHighResolution, kCount };

// A receive that waits pins its buffer in memory, so thousands of connections get smaller ones.
constexpr uint32_t kLargest = 16 * 1024, kSmallest = 2 * 1024, kAllTogether = 64u << 20;

}  // namespace

const rl_option kOptionTable[kOptionCount] = {
    {"buffer_size", "SIZE", "0", "octets of one receive buffer; 0: 16KiB, less where there are thousands of connections", nullptr, 0,
     1 << 24, RL_OPTION_SIZE, 0},
    {"spare_buffers", "N", "64", "receive buffers of a worker beyond one for each connection", nullptr, 0, 32768, RL_OPTION_U64, 0},
    {"skip_success", nullptr, "true", "what is done at once is not reported through the port", nullptr, 0, 0, RL_OPTION_BOOL, 0},
    {"high_resolution", nullptr, "true", "sleep by a high-resolution timer; else in steps of 1 ms, the rest is spun away", nullptr, 0, 0,
     RL_OPTION_BOOL, 0},
};
static_assert(kCount == kOptionCount);

Options Options::from(const rl_value* values) {
    Options o;
    if (values == nullptr) return o;
    o.buffer_size = static_cast<uint32_t>(values[kBufferSize].v.u);
    o.spare_buffers = static_cast<uint32_t>(values[kSpareBuffers].v.u);
    o.skip_success = values[kSkipSuccess].v.i != 0;
    o.high_resolution = values[kHighResolution].v.i != 0;
    return o;
}

uint32_t Options::buffer_size_for(uint32_t connections) const noexcept {
    if (buffer_size != 0) return buffer_size;
    return std::clamp(std::bit_floor(kAllTogether / std::max(connections, 1u)), kSmallest, kLargest);
}

}  // namespace rl::iocp
