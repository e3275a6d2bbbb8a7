// The state of one link of the simulated network: the client's end, the peer's end and what lies between.
//
// Private to backends/sim. Owned by Network; freed when both ends are gone, its number is never used again.
#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "backends/sim/network.hpp"

namespace rl::sim {

// One send that the client has queued. The octets stay the engine's; the digest proves that it left them alone.
struct QueuedSend {
    engine::SendRef ref;
    uint64_t digest = 0;
    uint32_t taken = 0;  // octets that the network has copied
    uint32_t size() const noexcept { return ref.head_len + ref.body_len; }
};

inline uint64_t digest_octets(uint64_t digest, const void* octets, size_t n) noexcept {
    const auto* p = static_cast<const unsigned char*>(octets);
    for (size_t i = 0; i < n; ++i) digest = (digest ^ p[i]) * 0x100000001b3u;
    return digest;
}
inline uint64_t digest_send(const engine::SendRef& ref) noexcept {
    return digest_octets(digest_octets(0xcbf29ce484222325u, ref.head, ref.head_len), ref.body, ref.body_len);
}

enum class ClientEnd : uint8_t { connecting, open, closing, gone };
enum class PeerState : uint8_t {
    none,  // not connected yet
    open,
    closed,  // close() was called: octets that come are answered by a reset
    gone,    // nothing of it exists any more
};

struct Network::Link {
    ConnId id;
    uint32_t number = 0;
    uint32_t listener = UINT32_MAX;  // UINT32_MAX: nothing listens there

    ClientEnd client = ClientEnd::connecting;
    bool submitted = false;  // the connect has left
    bool close_submitted = false;
    bool holds_descriptor = false;
    std::deque<QueuedSend> sends;               // the front is the oldest that was not reported (or, if settled, not taken)
    size_t next_send = 0;                       // index in sends of the first that is not wholly taken
    bool pump_queued = false, blocked = false;  // blocked: the send buffer is full
    std::string rx;                             // arrived, not delivered
    size_t rx_begin = 0;
    bool rx_fin = false, rx_rst = false, read_queued = false;
    uint64_t skip = 0;
    uint64_t last_to_client = 0, last_sent = 0;  // instants of the latest events, which keep each stream in order

    PeerState peer = PeerState::none;
    bool wrote_end = false;    // the peer has ended its sending side
    bool broken = false;       // a reset is on its way to the client
    std::string peer_in;       // arrived at a slow reader, not read
    size_t unread = 0;         // octets taken from the client and not read by the peer
    uint32_t read_octets = 0;  // 0: reads at once
    uint64_t read_gap_ns = 0;
    bool read_queued_at_peer = false;
    uint64_t last_to_peer = 0, last_written = 0;

    size_t rx_size() const noexcept { return rx.size() - rx_begin; }
};

}  // namespace rl::sim
