// Why the kernel refused: the small enum that backends report to the sink. Hot path; no text.
#pragma once

#include <cstdint>

namespace rl::engine {

enum class IoError : uint8_t {
    none,         // on_open: connected; on_closed: closed because close() was asked for
    peer_closed,  // the peer ended its sending side; everything it sent was delivered before
    reset,        // the peer reset the connection, or it broke while sending (ECONNRESET, EPIPE)
    refused,      // ECONNREFUSED
    timed_out,    // the kernel gave up (ETIMEDOUT)
    unreachable,  // no route, network or host down
    no_ports,     // EADDRNOTAVAIL: no local port or address is free
    no_files,     // EMFILE, ENFILE: out of descriptors
    no_memory,    // ENOMEM, ENOBUFS
    other,
};

}  // namespace rl::engine
