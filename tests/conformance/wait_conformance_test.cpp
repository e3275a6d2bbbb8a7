// The specification of the seam, part 3: how poll() waits. Lower bounds are exact. An upper bound on a real clock only tells a wait that
// ended for the right reason from one that ran into a far deadline; on a virtual clock it is exact as well.
#include <gtest/gtest.h>

#include <string>

#include "tests/conformance/rig.hpp"

namespace rl::conformance {
namespace {

template <class B>
class Waits : public ::testing::Test {};
TYPED_TEST_SUITE(Waits, ScriptedBackends, BackendNames);

constexpr uint64_t kFar = 30'000 * kMs;

TYPED_TEST(Waits, ADeadlineThatHasPassedDoesNotWait) {
    RL_RIG(2);
    rig.connect_open(rig.host().listen({}));
    rig.poll(1 * kMs);
    for (const uint64_t deadline : {uint64_t{0}, rig.backend.now() - 1}) {
        EXPECT_FALSE(rig.poll_for({.deadline_ns = deadline}).slept);
    }
}

TYPED_TEST(Waits, MinEventsZeroDoesNotSleep) {
    RL_RIG(2);
    rig.connect_open(rig.host().listen({}));
    rig.poll(1 * kMs);
    const uint64_t deadline = rig.backend.now() + kFar;
    EXPECT_FALSE(rig.poll_for({.deadline_ns = deadline, .min_events = 0}).slept);
    EXPECT_LT(rig.backend.now(), deadline);
}

TYPED_TEST(Waits, AnEventEndsTheWait) {
    RL_RIG(2);
    const ConnId id = rig.connect_open(rig.host().listen({reads(1), waits(10 * kMs), sends(100)}));
    const std::string go = octets_of(Stream::to_peer, 0, 1);
    rig.send(id, go, {}, true);
    const uint64_t deadline = rig.backend.now() + kFar;
    while (rig.sink.of(id).bytes == 0 && rig.backend.now() < deadline) rig.poll_for({.deadline_ns = deadline});
    EXPECT_GT(rig.sink.of(id).bytes, 0u);
    EXPECT_LT(rig.backend.now(), deadline);
}

// One event of the 64 that are asked for: it is handed over when the window ends, not at the deadline.
TYPED_TEST(Waits, TheBatchWindowEndsTheWait) {
    RL_RIG(2);
    const ConnId id = rig.connect_open(rig.host().listen({reads(1), sends(1)}));
    const std::string go = octets_of(Stream::to_peer, 0, 1);
    rig.send(id, go, {}, true);
    const uint64_t begin = rig.backend.now(), deadline = begin + kFar;
    while (rig.sink.of(id).bytes == 0 && rig.backend.now() < deadline) {
        rig.poll_for({.deadline_ns = deadline, .min_events = 64, .batch_window_ns = 5 * kMs});
    }
    EXPECT_EQ(rig.sink.of(id).bytes, 1u);
    EXPECT_LT(rig.backend.now(), begin + (rig.kVirtualTime ? 100 * kMs : kFar));
}

// All that were asked for are there long before the window ends.
TYPED_TEST(Waits, EnoughEventsEndTheWindow) {
    RL_RIG(16);
    const engine::Endpoint peer = rig.host().listen({reads(1), sends(1)});
    const std::string go = octets_of(Stream::to_peer, 0, 1);
    for (uint32_t slot = 0; slot < 16; ++slot) rig.connect(peer, slot);
    rig.until([&] { return rig.sink.opens == 16; });
    for (uint32_t slot = 0; slot < 16; ++slot) rig.send({slot, 0}, go, {}, true);
    const uint64_t begin = rig.backend.now(), deadline = begin + 2 * kFar;
    uint64_t got = 0;
    while (got < 16 && rig.backend.now() < deadline) {
        const auto left = static_cast<uint32_t>(16 - got);
        rig.poll_for({.deadline_ns = deadline, .min_events = left, .batch_window_ns = kFar});
        got = 0;
        for (uint32_t slot = 0; slot < 16; ++slot) got += rig.sink.of({slot, 0}).bytes;
    }
    EXPECT_EQ(got, 16u);
    EXPECT_LT(rig.backend.now(), begin + kFar);
}

TYPED_TEST(Waits, TheWindowDoesNotOutlastTheDeadline) {
    RL_RIG(2);
    rig.connect_open(rig.host().listen({}));
    rig.poll(1 * kMs);
    const uint64_t deadline = rig.backend.now() + 5 * kMs;
    rig.poll_for({.deadline_ns = deadline, .min_events = 64, .batch_window_ns = kFar});
    EXPECT_GE(rig.backend.now(), deadline);
    EXPECT_LT(rig.backend.now(), deadline + (rig.kVirtualTime ? 1 : kFar / 2));
}

TYPED_TEST(Waits, SpinningDoesNotSleep) {
    RL_RIG(2);
    const ConnId id = rig.connect_open(rig.host().listen({reads(1), waits(3 * kMs), sends(1)}));
    const std::string go = octets_of(Stream::to_peer, 0, 1);
    rig.send(id, go, {}, true);
    const uint64_t deadline = rig.backend.now() + kFar;
    while (rig.sink.of(id).bytes == 0 && rig.backend.now() < deadline) {
        EXPECT_FALSE(rig.poll_for({.deadline_ns = deadline, .spin_ns = 2 * kFar}).slept);
    }
    EXPECT_EQ(rig.sink.of(id).bytes, 1u);
}

TYPED_TEST(Waits, SpinningKeepsTheDeadline) {
    RL_RIG(2);
    rig.connect_open(rig.host().listen({}));
    rig.poll(1 * kMs);
    const uint64_t deadline = rig.backend.now() + 3 * kMs;
    EXPECT_EQ(rig.poll_for({.deadline_ns = deadline, .spin_ns = kFar}).events, 0u);
    EXPECT_GE(rig.backend.now(), deadline);
    EXPECT_LT(rig.backend.now(), deadline + (rig.kVirtualTime ? 1 : kFar / 2));
}

TYPED_TEST(Waits, TheClockIsMonotonic) {
    RL_RIG(2);
    uint64_t last = rig.backend.now();
    for (int i = 0; i < 1000; ++i) {
        rig.poll(0);
        const uint64_t now = rig.backend.now();
        EXPECT_GE(now, last);
        last = now;
    }
}

}  // namespace
}  // namespace rl::conformance
