// What `ringload serve` can be told: names, values and help. Reading them is for options.cpp; the manual and the completions are made from
// this table too, before anything else is built, so that it needs the standard library only.
#pragma once

#include <array>
#include <string_view>

namespace rl::serve {

struct OptionRow {
    std::string_view group;    // empty: the same group as the row above
    std::string_view name;     // without the dashes
    std::string_view metavar;  // empty: a switch; "[=X]": the value may be left out
    std::string_view help;
    std::string_view expected;  // completes "is not ..."
};

inline constexpr std::string_view kTimeWanted = "a time; write it like 250us, 5ms or 1.5s";
inline constexpr std::string_view kCountWanted = "a whole number from 1 up";
inline constexpr std::string_view kShareWanted = "a probability; write it from 0 to 1, or like 5%";

// clang-format off
inline constexpr auto kOptionRows = std::to_array<OptionRow>({
    {"Where it listens and runs", "listen", "ADDR", "address to listen on (127.0.0.1); [::1] works", "an address"},
    {"", "port", "N", "port to listen on (8080); 0 takes a free one and prints it", "a port; write a number from 0 to 65535"},
    {"", "threads", "N", "worker threads, each with its own listening socket (1)", "a thread count from 1 to 256"},
    {"", "cpu", "LIST", "CPUs to pin the workers to, like 1 or 0,2-3", "a list of CPUs; write it like 1 or 0,2-3"},
    {"", "spin", "", "never sleep, so that the client is the bottleneck", ""},
    {"", "for", "TIME", "end after TIME", kTimeWanted},
    {"What it answers", "size", "BYTES", "octets of the body (2)", "a size; write it like 4096, 64KiB or 1MiB"},
    {"", "head", "BYTES", "pad the head to exactly this many octets", "a head size; write it like 573 or 4KiB, up to 1MiB"},
    {"", "status", "MIX", "statuses and their shares, like 200=0.97,503=0.03",
     "a status mix; write it like 404 or 200=0.97,503=0.03, statuses from 200 to 599, shares that add up to 1"},
    {"", "chunked", "[=SIZE]", "chunked framing, in chunks of SIZE (16KiB)", "a chunk size; write it like 1000 or 16KiB"},
    {"", "close-per-request", "", "Connection: close after every answer", ""},
    {"", "requests-per-connection", "N", "close a connection after its N-th answer", kCountWanted},
    {"When it answers", "delay", "TIME", "wait before each answer", kTimeWanted},
    {"", "jitter", "TIME", "and a random time between 0 and TIME more", kTimeWanted},
    {"", "every", "N:TIME", "every N-th answer waits TIME instead", "a mixture; write it like 10:100ms"},
    {"", "slow", "BYTES/TIME", "dribble the body: BYTES, then wait TIME", "a dribble; write it like 100/10ms"},
    {"", "seed", "N", "seed of all that is random (1)", "a whole number"},
    {"Faults", "reset", "P", "with probability P, reset the connection instead", kShareWanted},
    {"", "garbage", "P", "... answer octets that are no HTTP", kShareWanted},
    {"", "half", "P", "... send half of the answer, then close", kShareWanted},
    {"", "never", "P", "... never answer", kShareWanted},
    {"", "max-connections", "N", "accept further connections, but ignore them", kCountWanted},
    {"", "freeze", "", "begin frozen, as if after SIGUSR1", ""},
    {"", "freeze-for", "TIME", "a freeze ends by itself after TIME", kTimeWanted},
    {"What it remembers", "record-arrivals", "N", "keep the last N arrival times for /stats?arrivals=1",
     "a whole number from 1 to 100000000"},
});
// clang-format on

}  // namespace rl::serve
