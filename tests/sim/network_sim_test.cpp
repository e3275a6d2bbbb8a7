// The simulated network itself: its clock, its repeatability, and that each fault which is asked for does come.
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "backends/sim/backend.hpp"

namespace rl::sim {
namespace {

struct EchoPeer final : Peer {
    void on_connect(PeerEnd) override { ++connects; }
    void on_octets(PeerEnd end, std::span<const char> octets) override {
        received.append(octets.data(), octets.size());
        end.write(octets);
    }
    void on_gone(PeerEnd, IoError error) override { ++(error == IoError::reset ? resets : closes); }
    uint64_t connects = 0, resets = 0, closes = 0;
    std::string received;
};

struct Sink {
    SimBackend& backend;
    std::string message = std::string(3000, 'm');
    std::vector<IoError> opens, closes;
    std::string received;
    uint64_t deliveries = 0, sent = 0;
    std::map<uint32_t, uint64_t> of_slot;

    void on_wake() noexcept {}
    void on_open(ConnId id, IoError error) noexcept {
        opens.push_back(error);
        if (error != IoError::none) return;
        backend.send(id, {.head = reinterpret_cast<const uint8_t*>(message.data()), .body = nullptr, .head_len = 3000, .body_len = 0});
    }
    engine::Keep on_bytes(ConnId id, std::span<const char> octets, BufferToken) noexcept {
        ++deliveries;
        received.append(octets.data(), octets.size());
        if ((of_slot[id.slot] += octets.size()) % 3000 == 0) backend.close(id);
        return engine::Keep::release;
    }
    void on_skipped(ConnId, uint64_t) noexcept {}
    void on_sent(ConnId, uint32_t refs) noexcept { sent += refs; }
    void on_closed(ConnId, IoError error) noexcept { closes.push_back(error); }
};

struct Play {
    Play(uint64_t seed, const Faults& faults) : network(seed, faults), endpoint(network.listen(peer)) {
        const rl_value value = network_value(network);
        EXPECT_TRUE(backend.open(&value, {.connections_max = 100}));
    }
    void connect(uint32_t slot, uint32_t generation = 0) { backend.connect({slot, generation}, endpoint); }
    void run(uint64_t ns) {
        const uint64_t end = backend.now() + ns;
        while (backend.now() < end) backend.poll(sink, {.deadline_ns = end});
    }
    Network network;
    EchoPeer peer;
    Endpoint endpoint;
    SimBackend backend;
    Sink sink{backend, std::string(3000, 'm'), {}, {}, {}, 0, 0, {}};
};

TEST(SimNetwork, TimeIsVirtualAndExact) {
    Play play(1, Faults::none());
    play.connect(0);
    const uint64_t begin = play.backend.now();
    play.backend.poll(play.sink, {.deadline_ns = begin + 3'600'000'000'000});
    ASSERT_EQ(play.sink.opens.size(), 1u);
    EXPECT_EQ(play.backend.now() - begin, 40'000u) << "two ways of 20 us each";
    play.run(1'000'000);
    ASSERT_EQ(play.sink.closes.size(), 1u);
    const uint64_t deadline = play.backend.now() + 3'600'000'000'000;
    EXPECT_EQ(play.backend.poll(play.sink, {.deadline_ns = deadline}).events, 0u);
    EXPECT_EQ(play.backend.now(), deadline);
}

TEST(SimNetwork, SpinningMovesTheClock) {
    Play play(1, Faults::none());
    play.connect(0);
    int polls = 0;
    while (play.sink.opens.empty() && polls < 1000) {
        EXPECT_FALSE(play.backend.poll(play.sink, {.deadline_ns = UINT64_MAX, .min_events = 0}).slept);
        ++polls;
    }
    EXPECT_EQ(play.sink.opens.size(), 1u);
}

TEST(SimNetwork, AWaitWithoutEndIsSeen) {
    Play play(1, Faults::none());
    play.network.time_limit(10'000'000'000);
    EXPECT_TRUE(play.backend.poll(play.sink, {.deadline_ns = UINT64_MAX}).broken);
    EXPECT_NE(play.backend.error(), "");
}

TEST(SimNetwork, SameSeedSameTrace) {
    std::vector<uint64_t> traces;
    for (const uint64_t seed : {5, 5, 6}) {
        Random random(seed);
        Play play(seed, Faults::swarm(random));
        for (uint32_t slot = 0; slot < 100; ++slot) play.connect(slot);
        play.run(1'000'000'000);
        traces.push_back(play.network.trace());
    }
    EXPECT_EQ(traces[0], traces[1]);
    EXPECT_NE(traces[0], traces[2]);
}

uint64_t count(const std::vector<IoError>& errors, IoError which) {
    uint64_t n = 0;
    for (const IoError error : errors) n += error == which;
    return n;
}

Play& after_a_second(Play& play) {
    for (uint32_t slot = 0; slot < 100; ++slot) play.connect(slot);
    play.run(1'000'000'000);
    return play;
}

TEST(SimNetwork, ConnectFaultsCome) {
    Faults f;
    f.refused = f.unreachable = f.no_ports = 0.3;
    Play play(2, f);
    after_a_second(play);
    ASSERT_EQ(play.sink.opens.size(), 100u);
    for (const IoError error : {IoError::none, IoError::refused, IoError::unreachable, IoError::no_ports}) {
        EXPECT_GT(count(play.sink.opens, error), 5u);
    }
    EXPECT_EQ(count(play.sink.opens, IoError::none), play.peer.connects);
}

TEST(SimNetwork, ResetsAndHalfClosesCome) {
    Faults f;
    f.reset = f.half_close = 0.2;
    Play play(3, f);
    after_a_second(play);
    EXPECT_EQ(play.sink.closes.size(), 100u);
    EXPECT_GT(count(play.sink.closes, IoError::reset), 10u);
    EXPECT_GT(count(play.sink.closes, IoError::peer_closed), 5u);
    EXPECT_GT(count(play.sink.closes, IoError::none), 5u);
    EXPECT_GT(play.peer.resets, 10u);
}

TEST(SimNetwork, SplitsComeAndLoseNothing) {
    Faults f;
    f.split = f.short_send = 0.9;
    f.late_read = 0.5;
    Play play(4, f);
    play.connect(0);
    play.run(1'000'000'000);
    EXPECT_GT(play.sink.deliveries, 5u);
    EXPECT_EQ(play.sink.received, play.sink.message);
    EXPECT_EQ(play.peer.received, play.sink.message);
    EXPECT_EQ(play.sink.sent, 1u);
}

TEST(SimNetwork, StarvationIsCountedAndOvercome) {
    Faults f;
    f.starve = 0.5;
    f.buffers = 1;
    Play play(5, f);
    after_a_second(play);
    EXPECT_GT(play.backend.counters().starved, 10u);
    EXPECT_EQ(play.sink.received.size(), 300'000u);
}

TEST(SimNetwork, AnOlderGenerationIsNotHeardOfAgain) {
    Faults f;
    f.latency_ns_max = 2'000'000;
    Play play(6, f);
    for (uint32_t generation = 0; generation < 200; ++generation) {
        const size_t closes = play.sink.closes.size();
        play.connect(0, generation);
        play.run(generation * 10'000);
        if (play.sink.closes.size() == closes) play.backend.close({0, generation});
        while (play.sink.closes.size() == closes) play.run(100'000);
    }
    EXPECT_EQ(play.sink.closes.size(), 200u);
    EXPECT_GT(play.backend.counters().late_events, 0u);
}

TEST(SimNetworkDeathTest, OctetsChangedBeforeOnSentAreFound) {
    ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
    EXPECT_DEATH(
        {
            Play play(7, Faults::none());
            play.connect(0);
            play.backend.poll(play.sink, {.deadline_ns = play.backend.now() + 1'000'000});
            play.sink.message[10] = 'x';
            play.run(1'000'000);
        },
        "assertion failed");
}

}  // namespace
}  // namespace rl::sim
