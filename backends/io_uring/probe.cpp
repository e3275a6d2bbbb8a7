#include "backends/io_uring/probe.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>

namespace rl::uring {
namespace {

Failure refused(int error) {
    std::string why = "io_uring cannot be used here: " + os_text(error);
    if (error == EPERM || error == EACCES) {
        why += " (a container's seccomp profile or kernel.io_uring_disabled forbids it); allow it there, or use --backend epoll";
    } else if (error == ENOSYS) {
        why += " (this kernel has no io_uring); use --backend epoll";
    } else if (error == ENOMEM) {
        why += " (locked memory: see ulimit -l); raise the limit, or use --backend epoll";
    } else {
        why += "; use --backend epoll";
    }
    return failure(Error::unavailable, why, error);
}

Failure missing(const std::string& what, const std::string& since) {
    return failure(Error::unavailable, "this kernel's io_uring has no " + what + " (it came with Linux " + since +
                                           "); leave that --io_uring option at auto, or use --backend epoll");
}

// Sets the ring up with the best way of running task work that is allowed and there.
Result<void> open_ring(const Options& options, uint32_t completions, SubmissionRing& ring, Abilities& found) {
    // KERNEL: SINGLE_ISSUER since 6.0, DEFER_TASKRUN since 6.1, COOP_TASKRUN since 5.19
    int error = -EINVAL;
    if (options.taskrun == Taskrun::automatic || options.taskrun == Taskrun::defer) {
        error = ring.open(options.submission_entries, completions, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN);
        if (error == 0) {
            found.defer = true;
            return {};
        }
        if (error != -EINVAL) return refused(-error);
        if (options.taskrun == Taskrun::defer) return missing("DEFER_TASKRUN", "6.1");
        found.downgrade += "no DEFER_TASKRUN before Linux 6.1; ";
    }
    if (options.taskrun != Taskrun::none) {
        error = ring.open(options.submission_entries, completions, IORING_SETUP_COOP_TASKRUN);
        if (error == 0) {
            found.coop = true;
            return {};
        }
        if (error != -EINVAL) return refused(-error);
        if (options.taskrun == Taskrun::coop) return missing("COOP_TASKRUN", "5.19");
        found.downgrade += "no COOP_TASKRUN before Linux 5.19; ";
    }
    error = ring.open(options.submission_entries, completions, 0);
    if (error != 0) return refused(-error);
    return {};
}

Result<void> open_buffers(const Options& options, SubmissionRing& ring, BufferRing& buffers, Abilities& found) {
    int error = -EINVAL;
    if (options.buffers != Buffers::fixed) {
        const uint32_t count = options.buffer_count == 0 ? 16 : std::bit_ceil(options.buffer_count);
        error = buffers.open(ring.raw(), count, options.buffer_size == 0 ? 32 * 1024 : options.buffer_size, true);
        if (error == 0) {
            found.incremental = true;
            return {};
        }
        if (error != -EINVAL && error != -EOPNOTSUPP) return refused(-error);
        if (options.buffers == Buffers::incremental) return missing("incremental buffers", "6.12");
        found.downgrade += "no incremental buffers before Linux 6.12; ";
    }
    const uint32_t count = options.buffer_count == 0 ? 256 : std::bit_ceil(options.buffer_count);
    error = buffers.open(ring.raw(), count, options.buffer_size == 0 ? 4096 : options.buffer_size, false);
    if (error == -EINVAL || error == -EOPNOTSUPP) return missing("provided buffer rings", "5.19");
    if (error != 0) return refused(-error);
    return {};
}

// One receive that is to stay armed, on a pair of sockets of our own: the only way to ask for it.
bool try_multishot(SubmissionRing& ring) {
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) return false;
    io_uring_sqe* sqe = ring.entry();
    io_uring_prep_recv_multishot(sqe, pair[0], nullptr, 0, 0);
    sqe->flags |= IOSQE_BUFFER_SELECT;
    sqe->buf_group = BufferRing::kGroup;
    bool works = false;
    ring.enter(0, IORING_ENTER_GETEVENTS, nullptr);
    if (ring.ready() == 0) works = true;  // armed and waiting: a kernel that does not know it refuses at once
    ::close(pair[1]);                     // end of stream: the last completion
    while (works && ring.ready() == 0) {
        if (const int n = ring.enter(1, IORING_ENTER_GETEVENTS, nullptr); n < 0 && n != -EINTR) works = false;
    }
    for (; ring.ready() != 0; ring.pop()) works = works && ring.front().res == 0;
    ring.publish();
    ::close(pair[0]);
    return works;
}

}  // namespace

std::string Abilities::switches() const {
    std::string text = multishot ? "multishot" : "single receives";
    text += incremental ? ", incremental buffers" : ", fixed buffers";
    text += defer ? ", DEFER_TASKRUN" : coop ? ", COOP_TASKRUN" : "";
    if (registered) text += ", registered ring";
    if (poll_first) text += ", poll first";
    if (skip_success) text += ", silent sends";
    if (discard) text += ", bodies discarded";
    return text;
}

Result<Abilities> open_best(const Options& options, uint32_t connections, SubmissionRing& ring, BufferRing& buffers) {
    Abilities found;
    // Room for two completions of every connection; more than that waits in the kernel (IORING_FEAT_NODROP).
    const uint32_t completions = std::clamp(std::bit_ceil(connections * 2 + 64), 256u, 32768u);
    RL_TRY(open_ring(options, completions, ring, found));
    if ((ring.features() & IORING_FEAT_EXT_ARG) == 0) return missing("waits with a time-out", "5.11");
    // A filter may let a ring be made and bar its use.
    if (const int entered = ring.enter(0, IORING_ENTER_GETEVENTS, nullptr); entered < 0 && entered != -EINTR) return refused(-entered);
    RL_TRY(open_buffers(options, ring, buffers, found));
    if (options.receive != Receive::single) {
        found.multishot = try_multishot(ring);
        if (!found.multishot && options.receive == Receive::multishot) return missing("multishot receive", "6.0");
        if (!found.multishot) found.downgrade += "no multishot receive before Linux 6.0; ";
    }
    found.registered = options.registered_ring && ring.register_descriptor();
    found.batched_wait = (ring.features() & kFeatureMinTimeout) != 0;
    found.poll_first = options.poll_first;
    found.skip_success = options.skip_success && (ring.features() & IORING_FEAT_CQE_SKIP) != 0;
    found.discard = options.discard;
    if (found.downgrade.size() > 2) found.downgrade.resize(found.downgrade.size() - 2);
    return found;
}

}  // namespace rl::uring
