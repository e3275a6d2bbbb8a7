// The specification of the seam, part 1: the life of a connection, from connect to the last event.
//
// Each test holds for every backend; backends_under_test.hpp lists them. recorder.hpp judges the rules that hold for every event.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "tests/conformance/process_limits.hpp"
#include "tests/conformance/rig.hpp"

namespace rl::conformance {
namespace {

template <class B>
class Basics : public ::testing::Test {};
TYPED_TEST_SUITE(Basics, AllBackends, BackendNames);

TYPED_TEST(Basics, OpensOnceAndClosesOnce) {
    RL_RIG(4);
    const ConnId id = rig.connect_open(rig.host().listen({}));
    rig.poll();
    EXPECT_EQ(rig.sink.closes, 0u);
    rig.backend.close(id);
    rig.until([&] { return rig.sink.closes == 1; });
    EXPECT_EQ(rig.sink.of(id).close_error, IoError::none);
    rig.poll(1 * kMs);
    EXPECT_EQ(rig.sink.opens, 1u);
    EXPECT_EQ(rig.sink.closes, 1u);
}

TYPED_TEST(Basics, CloseBeforeOpenGivesOnlyClosed) {
    RL_RIG(4);
    const ConnId id = rig.connect(rig.host().listen({}));
    rig.backend.close(id);
    rig.until([&] { return rig.sink.closes == 1; });
    EXPECT_EQ(rig.sink.of(id).opens, 0u);
    EXPECT_EQ(rig.sink.of(id).close_error, IoError::none);
    rig.poll(5 * kMs);
    EXPECT_EQ(rig.sink.events, 1u);
}

TYPED_TEST(Basics, CloseTwiceIsCloseOnce) {
    RL_RIG(4);
    const ConnId id = rig.connect_open(rig.host().listen({}));
    rig.backend.close(id);
    rig.backend.close(id);
    rig.until([&] { return rig.sink.closes == 1; });
    rig.poll(5 * kMs);
    EXPECT_EQ(rig.sink.closes, 1u);
}

TYPED_TEST(Basics, EveryGenerationOfASlotHasItsOwnEvents) {
    RL_RIG(8);
    const engine::Endpoint peer = rig.host().listen({});
    uint32_t rounds = 0;
    rig.sink.opened = [&](ConnId id, IoError) { rig.backend.close(id); };
    rig.sink.closed = [&](ConnId id) {
        if (++rounds < 1000) rig.connect(peer, id.slot);
    };
    for (uint32_t slot = 0; slot < 8; ++slot) rig.connect(peer, slot);
    rig.until([&] { return rounds == 1007; });
    EXPECT_EQ(rig.sink.opens, 1007u);
    EXPECT_EQ(rig.sink.closes, 1007u);
}

TYPED_TEST(Basics, DrainGivesEveryConnectionItsLastEvent) {
    RL_RIG(20);
    const engine::Endpoint peer = rig.host().listen({});
    for (uint32_t slot = 0; slot < 10; ++slot) rig.connect(peer, slot);
    rig.until([&] { return rig.sink.opens == 10; });
    for (uint32_t slot = 10; slot < 20; ++slot) rig.connect(peer, slot);
    rig.close_everything();
    EXPECT_EQ(rig.sink.closes, 20u);
}

TYPED_TEST(Basics, ReturnsAtTheDeadlineAndNotBefore) {
    RL_RIG(2);
    rig.connect_open(rig.host().listen({}));
    rig.poll(1 * kMs);
    for (const uint64_t wait : {uint64_t{300'000}, 2 * kMs, 25 * kMs}) {
        const uint64_t deadline = rig.backend.now() + wait;
        EXPECT_EQ(rig.poll_for({.deadline_ns = deadline}).events, 0u);
        EXPECT_GE(rig.backend.now(), deadline);
        if (rig.kVirtualTime) {
            EXPECT_EQ(rig.backend.now(), deadline);
        }
    }
}

template <class B>
class Lifecycle : public ::testing::Test {};
TYPED_TEST_SUITE(Lifecycle, ScriptedBackends, BackendNames);

TYPED_TEST(Lifecycle, RefusedConnectFreesItsSlot) {
    RL_RIG(4);
    const engine::Endpoint nobody = rig.host().refusing();
    for (int i = 0; i < 20; ++i) {
        const ConnId id = rig.connect(nobody);
        rig.until([&] { return rig.sink.of(id).opens == 1; });
        EXPECT_EQ(rig.sink.of(id).open_error, IoError::refused);
    }
    rig.poll();
    EXPECT_EQ(rig.sink.closes, 0u) << "a failed on_open is not followed by on_closed";
    rig.connect_open(rig.host().listen({}));
}

TYPED_TEST(Lifecycle, ConnectInsideTheFailedOpenWorks) {
    RL_RIG(4);
    const engine::Endpoint nobody = rig.host().refusing(), somebody = rig.host().listen({});
    rig.sink.opened = [&](ConnId, IoError error) {
        if (error != IoError::none) rig.connect(somebody);
    };
    rig.connect(nobody);
    rig.until([&] { return rig.sink.opens == 1; });
    EXPECT_EQ(rig.sink.open_failures, 1u);
}

TYPED_TEST(Lifecycle, CloseOfAConnectThatHangs) {
    RL_RIG(4);
    const ConnId id = rig.connect(rig.host().silent());
    rig.poll(20 * kMs);
    EXPECT_EQ(rig.sink.events, 0u);
    rig.backend.close(id);
    rig.until([&] { return rig.sink.closes == 1; });
    EXPECT_EQ(rig.sink.of(id).opens, 0u);
    rig.connect_open(rig.host().listen({}));
}

TYPED_TEST(Lifecycle, CloseInsideBytesIsTheEndOfBytes) {
    RL_RIG(4);
    const engine::Endpoint streaming = rig.host().listen({sends(1 << 20)});
    bool closing = false;
    rig.sink.bytes = [&](ConnId c, std::span<const char>, BufferToken) {
        EXPECT_FALSE(closing) << "octets after close()";
        closing = true;
        rig.backend.close(c);
        return Keep::release;
    };
    rig.connect(streaming);
    rig.until([&] { return rig.sink.closes == 1; });
    rig.poll();
    EXPECT_EQ(rig.sink.closes, 1u);
}

TYPED_TEST(Lifecycle, EverythingBeforeTheEndIsDeliveredFirst) {
    RL_RIG(4);
    for (const Script& script :
         {Script{sends(300'000), finishes()}, Script{sends(300'000), closes()}, Script{closes()}, Script{finishes()}}) {
        const uint64_t octets = script.size() == 2 ? 300'000 : 0;
        const ConnId id = rig.connect_open(rig.host().listen(script));
        rig.until([&] { return rig.sink.of(id).closes == 1; });
        EXPECT_EQ(rig.sink.of(id).bytes, octets);
        EXPECT_EQ(rig.sink.of(id).close_error, IoError::peer_closed);
    }
}

TYPED_TEST(Lifecycle, TheEndIsSeenLongAfterTheOctets) {
    RL_RIG(4);
    const ConnId id = rig.connect_open(rig.host().listen({sends(1000), reads(1), finishes()}));
    rig.until([&] { return rig.sink.of(id).bytes == 1000; });
    const std::string go = octets_of(Stream::to_peer, 0, 1);
    rig.send(id, go);
    rig.until([&] { return rig.sink.closes == 1; });
    EXPECT_EQ(rig.sink.of(id).close_error, IoError::peer_closed);
}

TYPED_TEST(Lifecycle, ResetIsReset) {
    RL_RIG(4);
    const ConnId id = rig.connect_open(rig.host().listen({reads(1), resets()}));
    const std::string go = octets_of(Stream::to_peer, 0, 1);
    rig.send(id, go);
    rig.until([&] { return rig.sink.closes == 1; });
    EXPECT_EQ(rig.sink.of(id).close_error, IoError::reset);
    EXPECT_EQ(rig.sink.of(id).opens, 1u);
    rig.connect_open(rig.host().listen({}));
}

TYPED_TEST(Lifecycle, ResetWhileSendsAreQueued) {
    RL_RIG(4);
    const ConnId id = rig.connect_open(rig.host().listen({reads(1), reads(2, 1, 1 * kMs), resets()}));
    const std::string much = octets_of(Stream::to_peer, 0, 8 << 20);
    rig.send(id, much);
    rig.send(id, much);
    rig.until([&] { return rig.sink.closes == 1; });
    EXPECT_EQ(rig.sink.of(id).close_error, IoError::reset);
    EXPECT_LT(rig.sink.of(id).sent, 2u);
}

TYPED_TEST(Lifecycle, CloseWhileSendsAreQueued) {
    RL_RIG(4);
    const ConnId id = rig.connect_open(rig.host().listen({reads(1 << 20, 1, 1 * kMs)}));
    const std::string much = octets_of(Stream::to_peer, 0, 8 << 20);
    rig.send(id, much);
    rig.poll(5 * kMs);
    rig.backend.close(id);
    rig.until([&] { return rig.sink.closes == 1; });
    EXPECT_EQ(rig.sink.of(id).close_error, IoError::none);
}

// The peer answers and half-closes at once, the client closes at an arbitrary instant of that, and the slot is used again at once.
TYPED_TEST(Lifecycle, SlotIsReusedAThousandTimes) {
    RL_RIG(2);
    const engine::Endpoint peer = rig.host().listen({sends(5000, 3000), finishes()});
    uint32_t rounds = 0;
    rig.sink.bytes = [&](ConnId id, std::span<const char>, BufferToken) {
        if (id.generation % 3 == 0) rig.backend.close(id);
        return Keep::release;
    };
    rig.sink.opened = [&](ConnId id, IoError error) {
        EXPECT_EQ(error, IoError::none);
        if (id.generation % 7 == 0) rig.backend.close(id);
    };
    rig.sink.closed = [&](ConnId) {
        if (++rounds < 1000) {
            const ConnId next = rig.connect(peer);
            if (next.generation % 11 == 0) rig.backend.close(next);
        }
    };
    rig.connect(peer);
    rig.until([&] { return rounds == 1000; });
    rig.poll();
    EXPECT_EQ(rig.sink.closes, 1000u);
}

TYPED_TEST(Lifecycle, SeveralPeersAtOnce) {
    RL_RIG(30);
    std::vector<engine::Endpoint> peers;
    for (uint64_t i = 1; i <= 3; ++i) peers.push_back(rig.host().listen({sends(i * 1000), finishes()}));
    std::vector<ConnId> ids;
    for (uint32_t slot = 0; slot < 30; ++slot) ids.push_back(rig.connect(peers[slot % 3], slot));
    rig.until([&] { return rig.sink.closes == 30; });
    for (uint32_t slot = 0; slot < 30; ++slot) EXPECT_EQ(rig.sink.of(ids[slot]).bytes, (slot % 3 + 1) * 1000);
}

TYPED_TEST(Lifecycle, InternetProtocolVersion6) {
    RL_RIG(2);
    if (!rig.host().has(Family::ipv6)) GTEST_SKIP() << "this machine has no ::1";
    const ConnId id = rig.connect_open(rig.host().listen({sends(5000), finishes()}, Family::ipv6));
    rig.until([&] { return rig.sink.closes == 1; });
    EXPECT_EQ(rig.sink.of(id).bytes, 5000u);
}

TYPED_TEST(Lifecycle, ThousandsOfConnectionsAtOnce) {
    // Client and peer share this process, so each connection takes two descriptors.
    const uint32_t count = descriptors_most() >= 30'000 ? 10'000 : 1'000;
    RL_RIG(count);
    const engine::Endpoint peer = rig.host().listen({reads(100), sends(2000)});
    const std::string request = octets_of(Stream::to_peer, 0, 100);
    uint32_t answered = 0;
    rig.sink.opened = [&](ConnId id, IoError error) {
        EXPECT_EQ(error, IoError::none);
        if (error == IoError::none) rig.send(id, request, {}, true);
    };
    rig.sink.bytes = [&](ConnId id, std::span<const char>, BufferToken) {
        if (rig.sink.of(id).position() == 2000) ++answered;
        return Keep::release;
    };
    for (uint32_t slot = 0; slot < count; ++slot) rig.connect(peer, slot);
    rig.until([&] { return answered == count; });
    EXPECT_EQ(rig.sink.opens, count);
    rig.close_everything();
    EXPECT_EQ(rig.sink.closes, count);
}

TYPED_TEST(Lifecycle, DrainClosesEverythingInTheMidstOfLoad) {
    RL_RIG(64);
    const engine::Endpoint streaming = rig.host().listen({sends(2 << 20)}), silent = rig.host().silent();
    const engine::Endpoint stuck = rig.host().listen({reads(1 << 20, 1, 1 * kMs)});
    const std::string much = octets_of(Stream::to_peer, 0, 2 << 20);
    rig.sink.opened = [&](ConnId id, IoError error) {
        if (error == IoError::none && id.slot % 3 == 1) rig.send(id, much);
    };
    for (uint32_t slot = 0; slot < 60; ++slot) {
        rig.connect(slot % 3 == 0 ? streaming : slot % 3 == 1 ? stuck : silent, slot);
    }
    rig.until([&] { return rig.sink.opens == 40 && rig.sink.events > 80; });
    const uint64_t deadline = rig.backend.now() + 20'000 * kMs;
    rig.backend.drain(rig.sink, deadline);
    EXPECT_EQ(rig.sink.closes, 60u);
    EXPECT_LT(rig.backend.now(), deadline);
}

TYPED_TEST(Lifecycle, NoDescriptorIsLeft) {
    {
        RL_RIG(1);  // what the system itself keeps open from the first connection on
        rig.connect_open(rig.host().listen({}));
    }
    const std::optional<uint32_t> before = open_descriptors();
    if (!before) GTEST_SKIP() << "this system does not tell how many descriptors a process has open";
    {
        RL_RIG(32);
        const engine::Endpoint peer = rig.host().listen({sends(1000), finishes()}), nobody = rig.host().refusing();
        for (int round = 0; round < 10; ++round) {
            const uint64_t over = rig.sink.closes + rig.sink.open_failures;
            for (uint32_t slot = 0; slot < 32; ++slot) {
                const ConnId id = rig.connect(slot % 4 == 0 ? nobody : peer, slot);
                if (slot % 5 == 0) rig.backend.close(id);
            }
            rig.until([&] { return rig.sink.closes + rig.sink.open_failures == over + 32; });
        }
        for (uint32_t slot = 0; slot < 32; ++slot) rig.connect(peer, slot);
        rig.poll(1 * kMs);
        rig.close_everything();
    }
    EXPECT_EQ(open_descriptors(), before);
}

TYPED_TEST(Lifecycle, OutOfDescriptorsIsSaidAndOvercome) {
    RL_RIG(4);
    const engine::Endpoint peer = rig.host().listen({});
    rig.connect_open(peer, 0);
    if (!rig.host().starve_descriptors(true)) GTEST_SKIP() << "this system knows no limit on descriptors that a process could set itself";
    const ConnId starved = rig.connect(peer, 1);
    rig.until([&] { return rig.sink.of(starved).opens == 1; });
    rig.host().starve_descriptors(false);
    EXPECT_EQ(rig.sink.of(starved).open_error, IoError::no_files);
    rig.connect_open(peer, 1);
}

}  // namespace
}  // namespace rl::conformance
