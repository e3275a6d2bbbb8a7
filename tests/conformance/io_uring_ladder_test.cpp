// What each rung of io_uring's ladder of downgrades takes up, and that a rung whose completions all come at once has buffers for them.
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "tests/conformance/rig.hpp"

namespace rl::conformance {
namespace {

template <class B>
std::string switches_of() {
    Rig<B> rig(4);
    return rig.unavailable.empty() ? rig.backend.switches() : "";
}

TEST(Ladder, EachRungTakesUpWhatItsKernelHas) {
    if (switches_of<uring::IoUringBackend>().find("incremental buffers, DEFER_TASKRUN") == std::string::npos) {
        GTEST_SKIP() << "this kernel is too old to pretend the others";
    }
    EXPECT_EQ(switches_of<PretendedRingBackend<515>>(), "single receives, own buffers, bodies discarded");
    const std::string shared = ", registered ring, poll first, silent sends, bodies discarded";
    EXPECT_EQ(switches_of<PretendedRingBackend<600>>(), "multishot, fixed buffers, COOP_TASKRUN" + shared);
    EXPECT_EQ(switches_of<PretendedRingBackend<601>>(), "multishot, fixed buffers, DEFER_TASKRUN" + shared);
    EXPECT_EQ(switches_of<PretendedRingBackend<606>>(), "multishot, fixed buffers, DEFER_TASKRUN" + shared);
    EXPECT_EQ(switches_of<PretendedRingBackend<612>>(), "multishot, incremental buffers, DEFER_TASKRUN" + shared);
}

// Without DEFER_TASKRUN every answer that is there takes its buffer before the first one comes back.
template <class B>
void expect_buffers_for_all() {
    constexpr uint32_t kConnections = 1000;
    Rig<B> rig(kConnections);
    if (!rig.unavailable.empty()) GTEST_SKIP() << rig.unavailable;
    const engine::Endpoint peer = rig.host().listen({reads(1), sends(100)});
    for (uint32_t slot = 0; slot < kConnections; ++slot) rig.connect(peer, slot);
    rig.until([&] { return rig.sink.opens == kConnections; });
    uint64_t got = 0;
    rig.sink.bytes = [&](ConnId, std::span<const char> octets, BufferToken) { return got += octets.size(), Keep::release; };
    const std::string go = octets_of(Stream::to_peer, 0, 1);
    for (uint32_t slot = 0; slot < kConnections; ++slot) rig.send({slot, 0}, go, {}, true);
    rig.poll(0);
    // Answers gather while nobody looks: a peer that has read answers at once.
    const auto answered = [&] {
        uint64_t count = 0;
        for (const PeerReport& report : rig.host().reports()) count += report.received;
        return count == kConnections;
    };
    for (int tries = 0; !answered() && tries < 20'000; ++tries) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    rig.until([&] { return got == uint64_t{kConnections} * 100; });
    EXPECT_EQ(rig.backend.counters().starved, 0u);
}

TEST(Ladder, WithoutDeferredWorkThereAreBuffersForAll) { expect_buffers_for_all<PretendedRingBackend<600>>(); }
TEST(Ladder, WithoutBufferRingsThereAreBuffersForAll) { expect_buffers_for_all<PretendedRingBackend<515>>(); }

}  // namespace
}  // namespace rl::conformance
