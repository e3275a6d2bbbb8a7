// What io_uring learned in which kernel: the list behind the ladder of downgrades, behind --io_uring.kernel, which pretends an older
// kernel, and behind what `ringload list backends` shows. Every feature is probed before it is used; versions are only for people, since
// distributions carry features back. Also the names that are newer than the oldest liburing we build with.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rl::uring {

inline constexpr uint16_t kBufferRingIncremental = 2;     // KERNEL: since 6.12, flags of io_uring_buf_reg (IOU_PBUF_RING_INC)
inline constexpr uint32_t kCqeBufferMore = 1u << 4;       // KERNEL: since 6.12, the buffer of this completion goes on being used
inline constexpr uint32_t kFeatureMinTimeout = 1u << 15;  // KERNEL: since 6.12, min_wait_usec in io_uring_getevents_arg
inline constexpr uint32_t kFeatureBundles = 1u << 14;     // KERNEL: since 6.10, IORING_RECVSEND_BUNDLE
inline constexpr uint32_t kSetupNoArray = 1u << 16;       // KERNEL: since 6.6, IORING_SETUP_NO_SQARRAY
inline constexpr uint8_t kOpSendZeroCopy = 47;            // KERNEL: since 6.0, IORING_OP_SEND_ZC

// In the order of kFeatures.
enum class Feature : uint8_t {
    silent_sends,
    registered_ring,
    coop_taskrun,
    buffer_rings,
    poll_first,
    cancel_by_descriptor,
    single_issuer,
    multishot,
    zero_copy_sends,
    defer_taskrun,
    no_array,
    bundles,
    incremental_buffers,
    shortest_wait,
    count
};
inline constexpr size_t kFeatureCount = static_cast<size_t>(Feature::count);

struct FeatureFacts {
    uint16_t since;  // 100 * major + minor
    const char* name;
};
// Source of each version: the manual page of liburing 2.15 behind it.
inline constexpr FeatureFacts kFeatures[kFeatureCount] = {
    {517, "silent sends"},          // IOSQE_CQE_SKIP_SUCCESS: io_uring_enter(2)
    {518, "registered ring"},       // IORING_REGISTER_RING_FDS: io_uring_register(2)
    {519, "COOP_TASKRUN"},          // io_uring_setup(2)
    {519, "buffer rings"},          // IORING_REGISTER_PBUF_RING: io_uring_register(2)
    {519, "poll first"},            // IORING_RECVSEND_POLL_FIRST: io_uring_prep_recv(3)
    {519, "cancel by descriptor"},  // IORING_ASYNC_CANCEL_FD, _ALL: io_uring_prep_cancel(3)
    {600, "SINGLE_ISSUER"},         // io_uring_setup(2)
    {600, "multishot receive"},     // IORING_RECV_MULTISHOT: io_uring_prep_recv(3)
    {600, "zero-copy sends"},       // IORING_OP_SEND_ZC: io_uring_enter(2)
    {601, "DEFER_TASKRUN"},         // io_uring_setup(2)
    {606, "NO_SQARRAY"},            // io_uring_setup(2)
    {610, "bundles"},               // IORING_RECVSEND_BUNDLE: io_uring_prep_recv(3)
    {612, "incremental buffers"},   // IOU_PBUF_RING_INC: io_uring_register_buf_ring(3)
    {612, "shortest wait"},         // IORING_FEAT_MIN_TIMEOUT: io_uring_submit_and_wait_min_timeout(3)
};
constexpr const FeatureFacts& facts_of(Feature feature) noexcept { return kFeatures[static_cast<size_t>(feature)]; }

// A kernel that is pretended: it has no feature that came later. The newest one hides nothing of the real one.
struct Kernel {
    uint16_t version = UINT16_MAX;
    constexpr bool may(Feature feature) const noexcept { return facts_of(feature).since <= version; }
};

}  // namespace rl::uring
