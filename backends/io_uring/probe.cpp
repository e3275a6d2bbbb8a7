#include "backends/io_uring/probe.hpp"

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <iterator>

namespace rl::uring {
namespace {

Failure refused(int error) {
    std::string why = "io_uring cannot be used here: " + os_text(error);
    if (error == EPERM || error == EACCES) {
        why += " (a container's seccomp profile or kernel.io_uring_disabled forbids it); allow it there, or use --backend epoll";
    } else if (error == ENOSYS) {
        why += " (this kernel has no io_uring, or a container's seccomp profile hides it); use --backend epoll";
    } else if (error == EMFILE || error == ENFILE) {
        why += " (open files: see ulimit -n); raise the limit, lower --threads, or use --backend epoll";
    } else if (error == ENOMEM) {
        why += " (locked memory: see ulimit -l); raise the limit, or use --backend epoll";
    } else {
        why += "; use --backend epoll";
    }
    return failure(Error::unavailable, why, error);
}

std::string version_text(uint16_t version) { return std::to_string(version / 100) + '.' + std::to_string(version % 100); }

Failure missing(const std::string& what, const std::string& since) {
    return failure(Error::unavailable, "this kernel's io_uring has no " + what + " (it came with Linux " + since +
                                           "); leave that --io_uring option at auto, or use --backend epoll");
}
Failure missing(Feature feature) { return missing(facts_of(feature).name, version_text(facts_of(feature).since)); }

std::string downgraded(Feature feature) {
    return std::string("no ") + facts_of(feature).name + " before Linux " + version_text(facts_of(feature).since) + "; ";
}

// Ways of running task work, best first. KERNEL: the features say since when.
struct Way {
    Taskrun taskrun;
    uint32_t flags;
    Feature needs;
};
constexpr Way kWays[] = {
    {Taskrun::defer, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, Feature::defer_taskrun},
    {Taskrun::coop, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_COOP_TASKRUN, Feature::single_issuer},
    {Taskrun::coop, IORING_SETUP_COOP_TASKRUN, Feature::coop_taskrun},
};

// Sets the ring up with the best way of running task work that is allowed and there.
Result<void> open_ring(const Options& options, uint32_t completions, SubmissionRing& ring, Abilities& found) {
    for (const Way& way : kWays) {
        if (options.taskrun != Taskrun::automatic && options.taskrun != way.taskrun) continue;
        const int error = options.kernel.may(way.needs) ? ring.open(options.submission_entries, completions, way.flags) : -EINVAL;
        if (error == 0) {
            found.defer = way.taskrun == Taskrun::defer;
            found.coop = way.taskrun == Taskrun::coop;
            found.single_issuer = (way.flags & IORING_SETUP_SINGLE_ISSUER) != 0;
            return {};
        }
        if (error != -EINVAL) return refused(-error);
        if (way.needs != Feature::single_issuer) found.downgrade += downgraded(way.needs);
    }
    if (options.taskrun == Taskrun::defer) return missing(Feature::defer_taskrun);
    if (options.taskrun == Taskrun::coop) return missing(Feature::coop_taskrun);
    const int error = ring.open(options.submission_entries, completions, 0);
    if (error != 0) return refused(-error);
    return {};
}

Result<void> open_buffers(const Options& options, uint32_t connections, SubmissionRing& ring, BufferRing& buffers, Abilities& found) {
    int error = -EINVAL;
    if (options.buffers != Buffers::fixed) {
        // WHY few and large: pipelined answers that the end of a buffer cuts are asked for anew in two parts, which never meet again. Four
        // of 128 KiB need 3 to 6 % less CPU at pipeline 16 than sixteen of 32 KiB, and as much cache (bench/backend/compare_backends, 2026-11).
        const uint32_t count = options.buffer_count == 0 ? 4 : std::bit_ceil(options.buffer_count);
        const uint32_t size = options.buffer_size == 0 ? 128 * 1024 : options.buffer_size;
        if (options.kernel.may(Feature::incremental_buffers)) error = buffers.open(ring.raw(), count, size, true);
        if (error == 0) {
            found.incremental = true;
            return {};
        }
        if (error != -EINVAL && error != -EOPNOTSUPP) return refused(-error);
        if (options.buffers == Buffers::incremental) return missing(Feature::incremental_buffers);
        found.downgrade += downgraded(Feature::incremental_buffers);
    }
    // Where task work is not deferred, all answers that are there take their buffers before the first of them is looked at.
    const uint32_t enough = found.defer ? 256 : std::clamp(std::bit_ceil(connections), 256u, 4096u);
    const uint32_t count = options.buffer_count == 0 ? enough : std::bit_ceil(options.buffer_count);
    const uint32_t size = options.buffer_size == 0 ? 4096 : options.buffer_size;
    error = options.kernel.may(Feature::buffer_rings) ? buffers.open(ring.raw(), count, size, false) : -EINVAL;
    if (error == 0) return {};
    if (error != -EINVAL && error != -EOPNOTSUPP) return refused(-error);
    found.downgrade += downgraded(Feature::buffer_rings);
    found.own_buffers = true;
    // Every receive that waits has a buffer of its own, and the sink may hold some besides.
    const uint32_t spare = options.buffer_count == 0 ? 256 : count;
    error = buffers.open_own(connections + spare, size);
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

bool knows_operation(SubmissionRing& ring, uint8_t operation) {
    io_uring_probe* const probe = io_uring_get_probe_ring(ring.raw());
    const bool known = probe != nullptr && operation <= probe->last_op && (probe->ops[operation].flags & IO_URING_OP_SUPPORTED) != 0;
    if (probe != nullptr) io_uring_free_probe(probe);
    return known;
}

// Without liburing, which need not know what these flags make of its queues.
bool takes_setup(uint32_t flags) {
    io_uring_params params{};
    params.flags = flags;
    const int fd = static_cast<int>(::syscall(SYS_io_uring_setup, 8, &params));
    if (fd >= 0) ::close(fd);
    return fd >= 0;
}

}  // namespace

std::string Abilities::switches() const {
    std::string text = multishot ? "multishot" : "single receives";
    text += incremental ? ", incremental buffers" : own_buffers ? ", own buffers" : ", fixed buffers";
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
    RL_TRY(open_buffers(options, connections, ring, buffers, found));
    if (options.receive != Receive::single) {
        found.multishot = !found.own_buffers && options.kernel.may(Feature::multishot) && try_multishot(ring);
        if (!found.multishot && options.receive == Receive::multishot) return missing(Feature::multishot);
        if (!found.multishot) found.downgrade += downgraded(Feature::multishot);
    }
    found.registered = options.registered_ring && options.kernel.may(Feature::registered_ring) && ring.register_descriptor();
    found.batched_wait = options.kernel.may(Feature::shortest_wait) && (ring.features() & kFeatureMinTimeout) != 0;
    // KERNEL: since 5.19, like buffer rings, and there is no other way to ask for these: receives that wait first, cancels by descriptor,
    // and sends that are never half done (MSG_WAITALL), without which a silent one could lose octets.
    found.poll_first = options.poll_first && !found.own_buffers;
    found.cancel_by_descriptor = !found.own_buffers;
    found.skip_success = options.skip_success && !found.own_buffers && (ring.features() & IORING_FEAT_CQE_SKIP) != 0;
    found.discard = options.discard;
    if (found.downgrade.size() > 2) found.downgrade.resize(found.downgrade.size() - 2);
    return found;
}

std::string list_features(const Options& options, const Abilities& used, SubmissionRing& ring) {
    const auto has = [&ring](uint32_t bit) { return (ring.features() & bit) != 0; };
    const auto opens = [](uint32_t flags) { return SubmissionRing().open(8, 16, flags) == 0; };
    BufferRing plain, incremental;
    SubmissionRing one, two;
    const bool buffer_rings = one.open(8, 16, 0) == 0 && plain.open(one.raw(), 4, 4096, false) == 0;
    const bool incremental_ones = two.open(8, 16, 0) == 0 && incremental.open(two.raw(), 4, 4096, true) == 0;
    struct Line {
        bool there, used;
    };
    // In the order of kFeatures.
    const Line lines[] = {
        {has(IORING_FEAT_CQE_SKIP), used.skip_success},
        {used.registered || two.register_descriptor(), used.registered},
        {opens(IORING_SETUP_COOP_TASKRUN), used.coop},
        {buffer_rings, !used.own_buffers},
        {buffer_rings, used.poll_first},
        {buffer_rings, used.cancel_by_descriptor},
        {opens(IORING_SETUP_SINGLE_ISSUER), used.single_issuer},
        {buffer_rings && try_multishot(one), used.multishot},
        {knows_operation(ring, kOpSendZeroCopy), false},
        {opens(IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN), used.defer},
        {takes_setup(kSetupNoArray), false},
        {has(kFeatureBundles), false},
        {incremental_ones, used.incremental},
        {has(kFeatureMinTimeout), used.batched_wait},
    };
    static_assert(std::size(lines) == kFeatureCount);
    std::string text;
    for (size_t i = 0; i < kFeatureCount; ++i) {
        const bool hidden = !options.kernel.may(static_cast<Feature>(i));
        const char* state = lines[i].used ? "used" : hidden ? "hidden by --io_uring.kernel" : lines[i].there ? "not used" : "not there";
        text.append(text.empty() ? "" : "\n").append(kFeatures[i].name).append(" (Linux ").append(version_text(kFeatures[i].since));
        text.append("): ").append(state);
    }
    return text;
}

}  // namespace rl::uring
