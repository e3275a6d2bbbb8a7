#include "backends/io_uring/options.hpp"

#include <iterator>
#include <string_view>

namespace rl::uring {
namespace {

constexpr const char* const kTaskrunChoices[] = {"auto", "defer", "coop", "none", nullptr};
constexpr const char* const kReceiveChoices[] = {"auto", "multishot", "single", nullptr};
constexpr const char* const kBufferChoices[] = {"auto", "incremental", "fixed", nullptr};
// What hides nothing is first; the others are the kernels at which the ladder changes, and the long-lived ones among them.
constexpr const char* const kKernelChoices[] = {"auto", "5.15", "6.0", "6.1", "6.6", "6.12", nullptr};
constexpr Kernel kKernels[] = {{}, {515}, {600}, {601}, {606}, {612}};
static_assert(std::size(kKernelChoices) == std::size(kKernels) + 1);

enum Index : uint32_t {
    kTaskrun,
    kReceive,
    kBuffers,
    kBufferSize,
    kBufferCount,
    kSubmissionEntries,
    kSubmitEvery,
    kPollFirst,
    kSkipSuccess,
    kRegisteredRing,
    kDiscard,
    kKernel,
    kCount
};

// Which of them it is; 0, which is auto in every list, for anything else.
uint32_t place(const rl_value& value, const char* const* choices) {
    for (uint32_t i = 0; choices[i] != nullptr; ++i) {
        if (std::string_view(value.v.s.p, value.v.s.n) == choices[i]) return i;
    }
    return 0;
}

template <class E>
E choice(const rl_value& value, const char* const* choices) {
    return static_cast<E>(place(value, choices));
}

}  // namespace

const rl_option kOptionTable[kOptionCount] = {
    {"taskrun", "WHEN", "auto", "when completions are worked on: deferred to the wait, cooperatively, or by interrupting", kTaskrunChoices,
     0, 0, RL_OPTION_STRING, 0},
    {"receive", "HOW", "auto", "one receive for the life of a connection, or one for each answer", kReceiveChoices, 0, 0, RL_OPTION_STRING,
     0},
    {"buffers", "KIND", "auto", "receive buffers filled bit by bit, or one for each receive", kBufferChoices, 0, 0, RL_OPTION_STRING, 0},
    {"buffer_size", "SIZE", "0", "octets of one receive buffer; 0: 128KiB incremental, 4KiB fixed", nullptr, 0, 1 << 24, RL_OPTION_SIZE, 0},
    {"buffer_count", "N", "0",
     "receive buffers of a worker, rounded up to a power of two; 0: 4 incremental, 256 fixed, 256 to 4096 by "
     "connections where completions are not deferred; before Linux 5.19 one for each connection and so many more",
     nullptr, 0, 32768, RL_OPTION_U64, 0},
    {"submission_entries", "N", "256", "length of the submission queue", nullptr, 8, 32768, RL_OPTION_U64, 0},
    {"submit_every", "N", "0", "submit as soon as N requests are queued; 0: once a turn", nullptr, 0, 32768, RL_OPTION_U64, 0},
    {"poll_first", nullptr, "true", "receives wait for readiness before they try", nullptr, 0, 0, RL_OPTION_BOOL, 0},
    {"skip_success", nullptr, "true", "small sends that succeed are not reported", nullptr, 0, 0, RL_OPTION_BOOL, 0},
    {"registered_ring", nullptr, "true", "the ring's descriptor is registered", nullptr, 0, 0, RL_OPTION_BOOL, 0},
    {"discard", nullptr, "true", "large bodies are dropped by the kernel unread", nullptr, 0, 0, RL_OPTION_BOOL, 0},
    {"kernel", "VERSION", "auto", "use only what Linux of this version has, to see how ringload does there", kKernelChoices, 0, 0,
     RL_OPTION_STRING, 0},
};
static_assert(kCount == kOptionCount);

Options Options::from(const rl_value* values) {
    Options o;
    if (values == nullptr) return o;
    o.taskrun = choice<Taskrun>(values[kTaskrun], kTaskrunChoices);
    o.receive = choice<Receive>(values[kReceive], kReceiveChoices);
    o.buffers = choice<Buffers>(values[kBuffers], kBufferChoices);
    o.buffer_size = static_cast<uint32_t>(values[kBufferSize].v.u);
    o.buffer_count = static_cast<uint32_t>(values[kBufferCount].v.u);
    o.submission_entries = static_cast<uint32_t>(values[kSubmissionEntries].v.u);
    o.submit_every = static_cast<uint32_t>(values[kSubmitEvery].v.u);
    o.poll_first = values[kPollFirst].v.i != 0;
    o.skip_success = values[kSkipSuccess].v.i != 0;
    o.registered_ring = values[kRegisteredRing].v.i != 0;
    o.discard = values[kDiscard].v.i != 0;
    o.kernel = kKernels[place(values[kKernel], kKernelChoices)];
    return o;
}

}  // namespace rl::uring
