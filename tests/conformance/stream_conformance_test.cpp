// The specification of the seam, part 2: octets both ways, skip(), and buffers that the sink holds.
#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "backends/sim/faults.hpp"
#include "tests/conformance/rig.hpp"

namespace rl::conformance {
namespace {

template <class B>
class Streams : public ::testing::Test {};
TYPED_TEST_SUITE(Streams, ScriptedBackends, BackendNames);

// The recorder judges every octet at its position; here it is that none is missing, over random cuts in both directions.
TYPED_TEST(Streams, OrderAndCompletenessOverRandomCuts) {
    for (uint64_t seed = 1; seed <= 12; ++seed) {
        RL_RIG(2);
        sim::Random random(seed);
        const uint64_t down = random.between(1, 300'000), up = random.between(1, 300'000);
        const auto portion = static_cast<uint32_t>(random.between(1, 20'000));
        const ConnId id = rig.connect_open(rig.host().listen({sends(down, portion), reads(up)}));
        const std::string data = octets_of(Stream::to_peer, 0, up);
        for (uint64_t at = 0; at < up;) {
            const uint64_t head = random.below(std::min<uint64_t>(up - at, 30'000) + 1), left = up - at - head;
            const uint64_t body = head == 0 ? std::min<uint64_t>(left, 1) : random.below(std::min<uint64_t>(left, 30'000) + 1);
            rig.send(id, {data.data() + at, head}, {data.data() + at + head, body});
            at += head + body;
            if (random.chance(0.3)) rig.poll(0);
            rig.until([&] { return rig.sink.of(id).sends - rig.sink.of(id).sent < kDepth; });
        }
        rig.until([&] { return rig.sink.of(id).bytes == down && rig.sink.of(id).sent == rig.sink.of(id).sends; });
        rig.until_reported(1, [&](const PeerReport& r) { return r.received == up && r.in_order; });
        EXPECT_EQ(rig.sink.closes, 0u) << "seed " << seed;
    }
}

TYPED_TEST(Streams, LargeSendsToASlowReader) {
    RL_RIG(2);
    constexpr size_t kSize = 5 << 20;
    const ConnId id = rig.connect_open(rig.host().listen({reads(2 * kSize, 65536, 250'000)}));
    const std::string data = octets_of(Stream::to_peer, 0, 2 * kSize);
    rig.send(id, {data.data(), kSize});
    rig.send(id, {data.data() + kSize, 1000}, {data.data() + kSize + 1000, kSize - 1000});
    rig.until([&] { return rig.sink.of(id).sent == 2; });
    rig.until_reported(1, [](const PeerReport& r) { return r.received == 2 * kSize && r.in_order; });
}

// Octets may be reused as soon as on_sent came: scribbling over them must not reach the peer.
TYPED_TEST(Streams, OctetsAreFreeAfterOnSent) {
    RL_RIG(2);
    constexpr size_t kSize = 100'000;
    constexpr uint32_t kSends = 20;
    const ConnId id = rig.connect_open(rig.host().listen({reads(kSize * kSends, 20'000, 50'000)}));
    std::deque<std::string> in_flight;
    uint64_t made = 0;
    auto send_next = [&] {
        in_flight.push_back(octets_of(Stream::to_peer, made++ * kSize, kSize));
        rig.send(id, in_flight.back());
    };
    uint64_t reported = 0;
    rig.sink.sent = [&](ConnId) {
        for (; reported < rig.sink.of(id).sent; ++reported) {
            std::fill(in_flight.front().begin(), in_flight.front().end(), '!');
            in_flight.pop_front();
            if (made < kSends) send_next();
        }
    };
    send_next();
    send_next();
    send_next();
    rig.until([&] { return rig.sink.of(id).sent == kSends; });
    rig.until_reported(1, [](const PeerReport& r) { return r.received == kSize * kSends && r.in_order; });
}

TYPED_TEST(Streams, SettledSendsAreNotReported) {
    RL_RIG(2);
    constexpr uint64_t kRounds = 200, kSize = 300;
    Script script;
    for (uint64_t i = 0; i < kRounds; ++i) script.insert(script.end(), {reads(kSize), sends(10)});
    script.push_back(finishes());
    const ConnId id = rig.connect_open(rig.host().listen(script));
    const std::string data = octets_of(Stream::to_peer, 0, kRounds * kSize);
    uint64_t made = 0;
    auto send_next = [&] { rig.send(id, {data.data() + kSize * made, 200}, {data.data() + kSize * made + 200, 100}, true), ++made; };
    rig.sink.bytes = [&](ConnId, std::span<const char>, BufferToken) {
        while (made < kRounds && rig.sink.of(id).position() >= made * 10) send_next();
        return Keep::release;
    };
    send_next();
    rig.until([&] { return rig.sink.closes == 1; });
    EXPECT_EQ(rig.sink.of(id).sent, 0u);
    rig.until_reported(1, [](const PeerReport& r) { return r.received == kRounds * kSize && r.in_order; });
}

TYPED_TEST(Streams, SettledAndOrdinarySendsKeepOneOrder) {
    RL_RIG(2);
    constexpr uint64_t kSize = 100;
    const ConnId id = rig.connect_open(rig.host().listen({reads(60 * kSize)}));
    const std::string data = octets_of(Stream::to_peer, 0, 60 * kSize);
    for (uint64_t i = 0; i < 60; ++i) rig.send(id, {data.data() + i * kSize, 30}, {data.data() + i * kSize + 30, 70}, i % 2 == 0);
    rig.until([&] { return rig.sink.of(id).sent == 30; });
    rig.until_reported(1, [](const PeerReport& r) { return r.received == 60 * kSize && r.in_order; });
}

TYPED_TEST(Streams, BothDirectionsAtOnceOnManyConnections) {
    RL_RIG(16);
    constexpr size_t kSize = 400'000;
    const engine::Endpoint peer = rig.host().listen({sends(kSize, 50'000), reads(kSize), finishes()});
    const std::string data = octets_of(Stream::to_peer, 0, kSize);
    rig.sink.opened = [&](ConnId id, IoError) { rig.send(id, data); };
    std::vector<ConnId> ids;
    for (uint32_t slot = 0; slot < 16; ++slot) ids.push_back(rig.connect(peer, slot));
    rig.until([&] { return rig.sink.closes == 16; });
    for (const ConnId id : ids) EXPECT_EQ(rig.sink.of(id).bytes, kSize);
    rig.until_reported(16, [](const PeerReport& r) { return r.received == kSize && r.in_order; });
}

// ---- skip() --------------------------------------------------------------------------------------------------------------------

// A head of kHead octets, then a body that nobody needs, then a tail whose first octet must be the right one. The recorder judges the
// tail's octets by position, so an octet too many or too few cannot hide.
template <class R>
void skip_body(R& rig, uint64_t body, uint64_t ask_after) {
    constexpr uint64_t kHead = 100, kTail = 1000;
    bool asked = false;
    const std::string go = octets_of(Stream::to_peer, 0, 1);
    auto look = [&](ConnId c) {
        const uint64_t position = rig.sink.of(c).position();
        if (!asked && position >= kHead + ask_after && position < kHead + body) {
            asked = true;
            rig.skip(c, kHead + body - position);
        }
        if (position == kHead + body + kTail) rig.send(c, go);
    };
    rig.sink.bytes = [&](ConnId c, std::span<const char>, BufferToken) { return look(c), Keep::release; };
    rig.sink.skipped = look;
    const ConnId id = rig.connect(rig.host().listen({sends(kHead + body + kTail), reads(1), finishes()}));
    rig.until([&] { return rig.sink.of(id).closes == 1; });
    EXPECT_EQ(rig.sink.of(id).position(), kHead + body + kTail);
    EXPECT_GE(rig.sink.of(id).bytes, kTail) << "octets behind the skip were not delivered";
    EXPECT_LE(rig.sink.of(id).skipped, rig.sink.of(id).skip_asked);
}

TYPED_TEST(Streams, SkippedAndDeliveredOctetsAddUp) {
    for (const uint64_t body : {uint64_t{1}, uint64_t{4095}, uint64_t{65536}, uint64_t{1} << 20, uint64_t{10} << 20}) {
        RL_RIG(2);
        SCOPED_TRACE(body);
        skip_body(rig, body, 0);
    }
}

TYPED_TEST(Streams, SkipAskedForInTheMidstOfABody) {
    for (const uint64_t after : {uint64_t{1}, uint64_t{50'000}, uint64_t{700'000}}) {
        RL_RIG(2);
        SCOPED_TRACE(after);
        skip_body(rig, 1 << 20, after);
    }
}

// Answer after answer on one connection, each body skipped, as a load generator does it: it asks again for what is left at every event,
// and that replaces what was asked for before.
TYPED_TEST(Streams, SkipsFollowEachOther) {
    RL_RIG(2);
    constexpr uint64_t kHead = 100, kBody = 150'000, kAnswer = kHead + kBody, kRounds = 30;
    Script script;
    for (uint64_t i = 0; i < kRounds; ++i) script.insert(script.end(), {reads(50), sends(kAnswer)});
    script.push_back(finishes());
    const ConnId id = rig.connect_open(rig.host().listen(script));
    const std::string data = octets_of(Stream::to_peer, 0, kRounds * 50);
    uint64_t made = 0;
    auto look = [&](ConnId c) {
        const uint64_t position = rig.sink.of(c).position(), answer = position / kAnswer, within = position % kAnswer;
        if (within >= kHead) rig.skip(c, kAnswer - within);
        if (within == 0 && made == answer && made < kRounds) rig.send(c, {data.data() + 50 * made++, 50}, {}, true);
    };
    rig.sink.bytes = [&](ConnId c, std::span<const char>, BufferToken) { return look(c), Keep::release; };
    rig.sink.skipped = look;
    look(id);
    rig.until([&] { return rig.sink.closes == 1; });
    EXPECT_EQ(rig.sink.of(id).position(), kRounds * kAnswer);
    EXPECT_EQ(rig.sink.of(id).close_error, IoError::peer_closed);
}

TYPED_TEST(Streams, TheEndInsideASkip) {
    for (const bool by_reset : {false, true}) {
        RL_RIG(2);
        Script script{sends(50'000), reads(1), by_reset ? resets() : closes()};
        const std::string go = octets_of(Stream::to_peer, 0, 1);
        auto look = [&](ConnId c) {
            if (rig.sink.of(c).skip_asked == 0) rig.skip(c, 1 << 20);
            if (rig.sink.of(c).position() == 50'000) rig.send(c, go);
        };
        rig.sink.bytes = [&](ConnId c, std::span<const char>, BufferToken) { return look(c), Keep::release; };
        rig.sink.skipped = look;
        const ConnId id = rig.connect(rig.host().listen(script));
        rig.until([&] { return rig.sink.closes == 1; });
        EXPECT_EQ(rig.sink.of(id).position(), 50'000u);
        EXPECT_EQ(rig.sink.of(id).close_error, by_reset ? IoError::reset : IoError::peer_closed);
    }
}

TYPED_TEST(Streams, CloseInsideASkip) {
    RL_RIG(2);
    const engine::Endpoint peer = rig.host().listen({sends(4 << 20)});
    for (int round = 0; round < 20; ++round) {
        const uint64_t closes = rig.sink.closes;
        rig.sink.bytes = [&](ConnId c, std::span<const char>, BufferToken) {
            if (rig.sink.of(c).skip_asked == 0) rig.skip(c, 3 << 20);
            return Keep::release;
        };
        const ConnId id = rig.connect(peer);
        rig.until([&] { return rig.sink.of(id).position() > 100'000; });
        rig.backend.close(id);
        rig.until([&] { return rig.sink.closes == closes + 1; });
    }
}

// ---- buffers -------------------------------------------------------------------------------------------------------------------

TYPED_TEST(Streams, HeldOctetsStayUnchanged) {
    RL_RIG(2);
    constexpr uint64_t kSize = 4 << 20;
    struct Held {
        uint64_t position;
        std::span<const char> octets;
        BufferToken token;
    };
    std::deque<Held> held;
    sim::Random random(3);
    auto give_back = [&](size_t which) {
        EXPECT_TRUE(octets_match(Stream::to_client, held[which].position, held[which].octets)) << "held octets changed";
        rig.backend.release(held[which].token);
        held.erase(held.begin() + static_cast<std::ptrdiff_t>(which));
    };
    rig.sink.bytes = [&](ConnId c, std::span<const char> octets, BufferToken token) {
        while (held.size() >= 2) give_back(random.below(held.size()));
        if (random.chance(0.3)) return Keep::release;
        held.push_back({rig.sink.of(c).position() - octets.size(), octets, token});
        return Keep::hold;
    };
    const ConnId id = rig.connect(rig.host().listen({sends(kSize, 30'000), finishes()}));
    rig.until([&] { return rig.sink.closes == 1; });
    EXPECT_EQ(rig.sink.of(id).bytes, kSize);
    while (!held.empty()) give_back(0);
}

// The sink holds whatever it gets until nothing comes any more, then gives back half of it: no octet may be lost over that.
TYPED_TEST(Streams, OutOfBuffersDelaysAndLosesNothing) {
    RL_RIG(4);
    constexpr uint64_t kSize = 4 << 20;
    const engine::Endpoint peer = rig.host().listen({sends(kSize), finishes()});
    std::vector<BufferToken> held;
    rig.sink.bytes = [&](ConnId, std::span<const char>, BufferToken token) {
        held.push_back(token);
        return Keep::hold;
    };
    std::vector<ConnId> ids;
    for (uint32_t slot = 0; slot < 3; ++slot) ids.push_back(rig.connect(peer, slot));
    rig.until(
        [&] {
            const uint64_t events = rig.sink.events;
            rig.poll(5 * kMs);
            if (rig.sink.events != events) return rig.sink.closes == 3;
            for (size_t i = held.size() / 2; i < held.size(); ++i) rig.backend.release(held[i]);
            held.resize(held.size() / 2);
            return rig.sink.closes == 3;
        },
        60'000 * kMs);
    for (const ConnId id : ids) EXPECT_EQ(rig.sink.of(id).bytes, kSize);
    for (const BufferToken token : held) rig.backend.release(token);
}

TYPED_TEST(Streams, BuffersHeldOverTheEndOfTheirConnection) {
    RL_RIG(2);
    std::vector<std::pair<std::span<const char>, BufferToken>> held;
    rig.sink.bytes = [&](ConnId, std::span<const char> octets, BufferToken token) {
        held.emplace_back(octets, token);
        return Keep::hold;
    };
    const ConnId id = rig.connect(rig.host().listen({sends(3000), finishes()}));
    rig.until([&] { return rig.sink.closes == 1; });
    const engine::Endpoint other = rig.host().listen({sends(100'000), finishes()});
    rig.sink.bytes = nullptr;
    rig.connect(other, 1);
    rig.until([&] { return rig.sink.closes == 2; });
    uint64_t position = 0;
    for (const auto& [octets, token] : held) {
        EXPECT_TRUE(octets_match(Stream::to_client, position, octets));
        position += octets.size();
        rig.backend.release(token);
    }
    EXPECT_EQ(position, rig.sink.of(id).bytes);
}

}  // namespace
}  // namespace rl::conformance
