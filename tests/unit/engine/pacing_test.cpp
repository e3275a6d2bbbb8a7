// Between a pacer and a worker: due slots come in order and are never moved, late ones wait or lapse, and no pacer is asked in vain.
#include "core/engine/pacing.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "tests/unit/engine/scripted_source.hpp"

namespace rl::engine {
namespace {

using testing::ScriptedSource;

constexpr uint64_t kStart = 1'000'000'000'000;
constexpr uint64_t kMs = 1'000'000;

// A slot every `every_ns`, from 0 on.
struct EvenPacer {
    explicit EvenPacer(uint64_t every_ns) : every(every_ns) {
        ops.size = sizeof ops;
        ops.grant = [](void* self, uint64_t now, uint64_t* due, uint32_t max, uint64_t* next) {
            auto& me = *static_cast<EvenPacer*>(self);
            me.asked.push_back(now);
            me.max_seen = max;
            if (me.answer != 0) return me.answer;
            uint32_t n = 0;
            while (n < max && me.slot * me.every <= now && me.slot < me.slots_max) due[n++] = me.slot++ * me.every;
            *next = me.slot == me.slots_max ? uint64_t{INT64_MAX} : me.slot * me.every;
            return static_cast<int32_t>(n);
        };
        ops.scheduled = [](void* self, uint64_t end) {
            auto& me = *static_cast<EvenPacer*>(self);
            me.scheduled_end = end;
            return (end + me.every - 1) / me.every;
        };
    }
    rl_pacer_ops ops{};
    uint64_t every, slot = 0, slots_max = UINT64_MAX, scheduled_end = 0;
    uint32_t max_seen = 0;
    int32_t answer = 0;  // not 0: what grant() returns from now on
    std::vector<uint64_t> asked;
};

struct Paced {
    explicit Paced(EvenPacer& pacer, bool cap = false) {
        source.then = 1;
        requests.open(&source.ops(), &source, arena, 10);
        pacing.open(&pacer.ops, &pacer, cap);
        pacing.start(kStart);
    }
    bool has_due(uint64_t offset) { return pacing.has_due(kStart + offset, requests); }

    ScriptedSource source;
    Arena arena;
    RequestRing requests;
    Pacing pacing;
};

TEST(Pacing, UnlimitedIsAlwaysDueAndNeverAsks) {
    EvenPacer pacer(kMs);
    pacer.ops.flags = RL_PACER_UNLIMITED;
    pacer.ops.grant = nullptr;
    pacer.ops.scheduled = nullptr;
    Paced p(pacer);
    EXPECT_TRUE(p.pacing.unlimited());
    EXPECT_TRUE(p.has_due(0));
    EXPECT_TRUE(p.has_due(5));
    EXPECT_EQ(p.pacing.pop(), 0u);
    EXPECT_EQ(p.pacing.next_ns(), UINT64_MAX);
    EXPECT_EQ(p.pacing.scheduled(kStart + 10 * kMs), 0u);
}

TEST(Pacing, SlotsComeInOrderAtTheirInstants) {
    EvenPacer pacer(kMs);
    Paced p(pacer);
    EXPECT_FALSE(p.pacing.unlimited());
    ASSERT_TRUE(p.has_due(0));
    EXPECT_EQ(p.pacing.pop(), kStart);
    EXPECT_FALSE(p.has_due(kMs - 1));
    EXPECT_EQ(p.pacing.next_ns(), kStart + kMs);
    ASSERT_TRUE(p.has_due(kMs));
    EXPECT_EQ(p.pacing.pop(), kStart + kMs);
}

TEST(Pacing, IsNotAskedBeforeTheInstantThatItNamed) {
    EvenPacer pacer(kMs);
    Paced p(pacer);
    ASSERT_TRUE(p.has_due(0));
    p.pacing.pop();
    ASSERT_FALSE(p.has_due(1));
    const size_t asked = pacer.asked.size();
    for (uint64_t offset = 2; offset < kMs; offset += 1000) EXPECT_FALSE(p.has_due(offset));
    EXPECT_EQ(pacer.asked.size(), asked);
    EXPECT_EQ(pacer.max_seen, 64u);
}

TEST(Pacing, ABacklogOfAnyLengthKeepsItsDueTimes) {
    EvenPacer pacer(kMs);
    Paced p(pacer);
    for (uint64_t slot = 0; slot < 1000; ++slot) {
        ASSERT_TRUE(p.has_due(999 * kMs)) << slot;
        EXPECT_EQ(p.pacing.pop(), kStart + slot * kMs);
    }
    EXPECT_FALSE(p.has_due(999 * kMs));
}

TEST(Pacing, UnderACapLateSlotsLapse) {
    EvenPacer pacer(kMs);
    Paced p(pacer, true);
    std::vector<uint64_t> left;
    while (p.has_due(1000 * kMs)) left.push_back(p.pacing.pop() - kStart);
    ASSERT_FALSE(left.empty());
    EXPECT_GE(left.front(), 900 * kMs) << "what is later than a tenth of a second is not caught up with";
    EXPECT_EQ(left.back(), 1000 * kMs);
    EXPECT_EQ(left.size(), (left.back() - left.front()) / kMs + 1) << "and nothing else is lost";
}

TEST(Pacing, ThePacerThatHasNoMoreIsNotAskedAgain) {
    EvenPacer pacer(kMs);
    pacer.slots_max = 2;
    Paced p(pacer);
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(p.has_due(10 * kMs));
        p.pacing.pop();
    }
    EXPECT_FALSE(p.has_due(20 * kMs));
    EXPECT_EQ(p.pacing.next_ns(), UINT64_MAX);
    const size_t asked = pacer.asked.size();
    EXPECT_FALSE(p.has_due(3'600'000 * kMs));
    EXPECT_EQ(pacer.asked.size(), asked);
}

TEST(Pacing, AFailedPacerIsSeenAndLeftAlone) {
    for (const int32_t answer : {int32_t{RL_FAIL}, int32_t{RL_END}, 65, INT32_MAX, INT32_MIN}) {
        EvenPacer pacer(kMs);
        Paced p(pacer);
        ASSERT_TRUE(p.has_due(0));
        p.pacing.pop();
        pacer.answer = answer;
        EXPECT_FALSE(p.has_due(5 * kMs)) << answer;
        EXPECT_TRUE(p.pacing.failed()) << answer;
        const size_t asked = pacer.asked.size();
        EXPECT_FALSE(p.has_due(50 * kMs));
        EXPECT_EQ(pacer.asked.size(), asked);
    }
}

TEST(Pacing, TheScheduleIsCountedFromTheStart) {
    EvenPacer pacer(kMs);
    Paced p(pacer);
    EXPECT_EQ(p.pacing.scheduled(kStart + 30 * kMs), 30u);
    EXPECT_EQ(pacer.scheduled_end, 30 * kMs);
    pacer.ops.scheduled = nullptr;
    EXPECT_EQ(p.pacing.scheduled(kStart + 30 * kMs), 0u);
}

class FromSource : public ::testing::Test {
  protected:
    FromSource() : source(RL_SOURCE_TIMED) {
        pacer.ops.flags = RL_PACER_FROM_SOURCE;
        pacer.ops.grant = nullptr;
        pacing.open(&pacer.ops, &pacer, false);
        pacing.start(kStart);
    }
    void open() { ASSERT_TRUE(requests.open(&source.ops(), &source, arena, 10)); }

    EvenPacer pacer{kMs};
    ScriptedSource source;
    Arena arena;
    RequestRing requests;
    Pacing pacing;
};

TEST_F(FromSource, TheDueTimesOfRequestsAreTheSchedule) {
    source.script = {3};
    source.due = {0, int64_t{5 * kMs}, int64_t{5 * kMs}};
    source.then = RL_END;
    open();
    ASSERT_TRUE(pacing.has_due(kStart, requests));
    EXPECT_EQ(pacing.pop(), kStart);
    requests.pop();
    EXPECT_FALSE(pacing.has_due(kStart + 5 * kMs - 1, requests));
    EXPECT_EQ(pacing.next_ns(), kStart + 5 * kMs);
    for (int i = 0; i < 2; ++i) {
        ASSERT_TRUE(pacing.has_due(kStart + 7 * kMs, requests));
        EXPECT_EQ(pacing.pop(), kStart + 5 * kMs);
        requests.pop();
    }
    EXPECT_FALSE(pacing.has_due(kStart + 8 * kMs, requests));
    EXPECT_EQ(pacing.next_ns(), UINT64_MAX);
}

TEST_F(FromSource, ARequestWithoutDueTimeIsDueNow) {
    source.script = {1};
    open();
    ASSERT_TRUE(pacing.has_due(kStart + 123, requests));
    EXPECT_EQ(pacing.pop(), kStart + 123);
}

TEST_F(FromSource, ASourceThatHasNothingIsNotDue) {
    source.script = {0, 0, 1};
    open();
    EXPECT_FALSE(pacing.has_due(kStart, requests));
    EXPECT_TRUE(pacing.has_due(kStart, requests));
}

}  // namespace
}  // namespace rl::engine
