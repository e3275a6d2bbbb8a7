// What the peer of a conformance test does on each connection, as data: the same script runs over real sockets (LoopbackHost) and in
// the simulated network (SimHost), so that one test body holds for every backend.
//
// Octets are a fixed function of stream and position. A reader can therefore judge any octet without having seen those before it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "core/engine/endpoint.hpp"

namespace rl::conformance {

enum class Stream : uint8_t { to_client, to_peer };

inline char octet_at(Stream stream, uint64_t position) noexcept {
    const uint64_t z = (position + (stream == Stream::to_peer ? 0x51ed2701 : 0)) * 0x9e3779b97f4a7c15u;
    return static_cast<char>(z >> 56);
}
inline void fill_octets(Stream stream, uint64_t position, std::span<char> out) noexcept {
    for (size_t i = 0; i < out.size(); ++i) out[i] = octet_at(stream, position + i);
}
inline bool octets_match(Stream stream, uint64_t position, std::span<const char> octets) noexcept {
    for (size_t i = 0; i < octets.size(); ++i) {
        if (octets[i] != octet_at(stream, position + i)) return false;
    }
    return true;
}
inline std::string octets_of(Stream stream, uint64_t position, size_t n) {
    std::string out(n, '\0');
    fill_octets(stream, position, out);
    return out;
}

struct Step {
    enum class Kind : uint8_t { send, read, wait, finish, close, reset };
    Kind kind = Kind::send;
    uint64_t octets = 0;
    uint32_t portion = 0;  // send, read: at most so many octets at once; send: sizes are drawn from 1..portion. 0: as they come
    uint64_t gap_ns = 0;   // send, read: pause between portions; wait: how long
};
using Script = std::vector<Step>;  // at its end a peer reads until the client closes

inline Step sends(uint64_t octets, uint32_t portion = 0, uint64_t gap_ns = 0) { return {Step::Kind::send, octets, portion, gap_ns}; }
inline Step reads(uint64_t octets, uint32_t portion = 0, uint64_t gap_ns = 0) { return {Step::Kind::read, octets, portion, gap_ns}; }
inline Step waits(uint64_t ns) { return {Step::Kind::wait, 0, 0, ns}; }
inline Step finishes() { return {Step::Kind::finish, 0, 0, 0}; }
inline Step closes() { return {Step::Kind::close, 0, 0, 0}; }
inline Step resets() { return {Step::Kind::reset, 0, 0, 0}; }

// What the peer saw of one connection.
struct PeerReport {
    uint64_t received = 0;     // octets read
    bool in_order = true;      // each was the octet of Stream::to_peer at its position
    bool client_gone = false;  // the end of the client's stream or a reset was seen
};

enum class Family : uint8_t { ipv4, ipv6 };

// Whatever plays the peers.
class PeerHost {
  public:
    virtual ~PeerHost() = default;
    virtual bool has(Family family) = 0;
    virtual engine::Endpoint listen(const Script& script, Family family = Family::ipv4) = 0;
    virtual engine::Endpoint refusing() = 0;        // nothing listens there
    virtual engine::Endpoint silent() = 0;          // never answers
    virtual std::vector<PeerReport> reports() = 0;  // in the order of acceptance
    // Lets the next connects find no free descriptor, or lifts that again. False: this system knows no limit that could be reached.
    virtual bool starve_descriptors(bool on) = 0;
};

}  // namespace rl::conformance
