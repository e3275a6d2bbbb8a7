// Seeded chance, and the list of everything that the simulated network may do wrong.
//
// Tests only; one thread. A seed and a Faults value decide a run completely, so a failing pair is the whole bug report. Probabilities
// are per occasion (0 never, 1 always); what an occasion is stands at each field.
#pragma once

#include <cstdint>

namespace rl::sim {

// splitmix64: small, fast, and the same on every machine, which std::uniform_int_distribution is not.
class Random {
  public:
    explicit Random(uint64_t seed) noexcept : state_(seed) {}
    uint64_t next() noexcept {
        uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    // 0..bound-1, or 0. The slight bias of the modulo is of no interest to a test.
    uint64_t below(uint64_t bound) noexcept { return bound == 0 ? 0 : next() % bound; }
    uint64_t between(uint64_t low, uint64_t high) noexcept { return low + below(high - low + 1); }  // both inclusive
    bool chance(double probability) noexcept { return probability > 0 && static_cast<double>(next() >> 11) * 0x1p-53 < probability; }

  private:
    uint64_t state_;
};

struct Faults {
    // Time.
    uint64_t latency_ns_min = 20'000, latency_ns_max = 20'000;  // one way, drawn for each segment; order within a stream is kept
    uint64_t turn_ns = 500;                                     // what one poll costs, so that a spinning worker makes progress
    double stall = 0;                                           // per poll: the worker's thread does not run for up to stall_ns_max
    uint64_t stall_ns_max = 5'000'000;

    // Connecting; per connect.
    double refused = 0, unreachable = 0, no_ports = 0;
    double slow_connect = 0;  // takes up to slow_connect_ns_max longer
    uint64_t slow_connect_ns_max = 3'000'000'000;
    uint32_t descriptors_max = UINT32_MAX;  // connects beyond fail with no_files

    // Receiving.
    double split = 0;        // per write of the peer, and per delivery: cut at a random octet
    double reset = 0;        // per segment, either way: the connection is reset in place of it or behind a part of it
    double half_close = 0;   // per segment to the client: the peer ends its stream inside it
    double late_read = 0;    // per delivery: waits up to late_ns_max, so that other connections overtake
    double starve = 0;       // per delivery: finds no free buffer
    double look_anyway = 0;  // per delivery: a skip() is not made use of
    double part_skip = 0;    // per skipped delivery: only a part is dropped in this step
    uint32_t buffers = 64, buffer_octets = 16384;

    // Sending.
    double short_send = 0;                     // per send step: the kernel takes only a part now
    double late_sent = 0;                      // per send: on_sent comes up to late_ns_max after the kernel took the last octet
    double slow_reader = 0;                    // per connection: the peer reads in small portions with gaps
    uint32_t send_buffer_octets = 256 * 1024;  // octets under way to the peer, or taken and not yet read by it

    // Closing.
    double late_close = 0;  // per close: on_closed comes up to late_ns_max later
    uint64_t late_ns_max = 2'000'000;

    static Faults none() noexcept { return {}; }
    static Faults swarm(Random& random) noexcept;
};

// A random mixture: each fault is either off or at a random strength, so that over many seeds every combination comes up, also those
// in which a frequent fault would otherwise hide a rare one.
inline Faults Faults::swarm(Random& random) noexcept {
    Faults f;
    auto maybe = [&random](double strongest) {
        const bool on = random.chance(0.4);
        const double strength = static_cast<double>(random.below(1000)) / 1000.0;
        return on ? strongest * strength : 0.0;
    };
    f.latency_ns_min = random.between(1'000, 100'000);
    f.latency_ns_max = f.latency_ns_min + (random.chance(0.6) ? random.below(2'000'000) : 0);
    f.stall = maybe(0.01);
    f.refused = maybe(0.3);
    f.unreachable = maybe(0.1);
    f.no_ports = maybe(0.1);
    f.slow_connect = maybe(0.3);
    f.split = maybe(0.9);
    f.reset = maybe(0.1);
    f.half_close = maybe(0.1);
    f.late_read = maybe(0.5);
    f.starve = maybe(0.3);
    f.look_anyway = maybe(1.0);
    f.part_skip = maybe(1.0);
    f.short_send = maybe(0.7);
    f.late_sent = maybe(0.7);
    f.slow_reader = maybe(0.3);
    f.late_close = maybe(0.7);
    f.buffers = static_cast<uint32_t>(random.between(1, 64));
    f.buffer_octets = static_cast<uint32_t>(random.between(64, 16384));
    f.send_buffer_octets = static_cast<uint32_t>(random.between(8192, 256 * 1024));
    return f;
}

}  // namespace rl::sim
