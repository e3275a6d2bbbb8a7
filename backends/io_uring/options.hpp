// The switches of the io_uring backend: --io_uring.NAME=VALUE. Defaults are what measured best; the rest is for comparing.
#pragma once

#include <cstdint>
#include <string>

#include "backends/io_uring/kernel.hpp"
#include "ringload/plugin.h"

namespace rl::uring {

enum class Taskrun : uint8_t { automatic, defer, coop, none };
enum class Receive : uint8_t { automatic, multishot, single };
enum class Buffers : uint8_t { automatic, incremental, fixed };

struct Options {
    Taskrun taskrun = Taskrun::automatic;
    Receive receive = Receive::automatic;
    Buffers buffers = Buffers::automatic;
    uint32_t buffer_size = 0;   // 0: by kind
    uint32_t buffer_count = 0;  // 0: by kind; a power of two
    uint32_t submission_entries = 256;
    uint32_t submit_every = 0;  // queued requests at which a submit does not wait for the end of the turn; 0: only when the queue is full
    bool poll_first = true;
    bool skip_success = true;
    bool registered_ring = true;
    bool discard = true;
    Kernel kernel;  // pretended

    // `values` come from kOptionTable; nullptr: the defaults.
    static Options from(const rl_value* values);
};

inline constexpr uint32_t kOptionCount = 12;
extern const rl_option kOptionTable[kOptionCount];

}  // namespace rl::uring
