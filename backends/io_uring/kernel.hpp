// Names of io_uring that are newer than the oldest liburing we build with. Each is probed at run time before it is used.
#pragma once

#include <cstdint>

namespace rl::uring {

inline constexpr uint16_t kBufferRingIncremental = 2;     // KERNEL: since 6.12, flags of io_uring_buf_reg (IOU_PBUF_RING_INC)
inline constexpr uint32_t kCqeBufferMore = 1u << 4;       // KERNEL: since 6.12, the buffer of this completion goes on being used
inline constexpr uint32_t kFeatureMinTimeout = 1u << 15;  // KERNEL: since 6.12, min_wait_usec in io_uring_getevents_arg

}  // namespace rl::uring
