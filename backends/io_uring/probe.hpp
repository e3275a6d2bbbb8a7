// What this kernel (or container) lets io_uring do, found out by doing it: the ladder of downgrades. Cold path.
#pragma once

#include <cstdint>
#include <string>

#include "backends/io_uring/buffer_ring.hpp"
#include "backends/io_uring/options.hpp"
#include "backends/io_uring/ring.hpp"
#include "core/base/result.hpp"

namespace rl::uring {

struct Abilities {
    bool defer = false, coop = false, single_issuer = false;  // DEFER_TASKRUN, COOP_TASKRUN, SINGLE_ISSUER
    bool multishot = false, incremental = false, registered = false;
    bool own_buffers = false;           // the kernel cannot pick receive buffers, so the worker does
    bool cancel_by_descriptor = false;  // all requests of a connection can be taken back at once
    bool batched_wait = false;          // the kernel knows a shortest wait beside the longest
    bool poll_first = false, skip_success = false, discard = false;
    std::string downgrade;  // "" or sentences: which better feature is missing, and why

    std::string switches() const;  // "multishot, incremental buffers, DEFER_TASKRUN, ..."
};

// Opens a ring and its buffers for one worker, as well as the kernel and the options allow. Fails where io_uring cannot be used at all,
// or where an option asks by name for what is not there; the sentence says what to do.
Result<Abilities> open_best(const Options& options, uint32_t connections, SubmissionRing& ring, BufferRing& buffers);

// What this kernel offers, feature by feature, and what of it a run with these options uses: a line for each. `used` and `ring` are of
// such a run.
std::string list_features(const Options& options, const Abilities& used, SubmissionRing& ring);

}  // namespace rl::uring
