// The ring between a source and a worker: each cookie comes back exactly once, whatever the source returns and in whatever order
// requests end.
#include "core/engine/request_ring.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/base/rng.hpp"
#include "tests/unit/engine/scripted_source.hpp"

namespace rl::engine {
namespace {

using testing::ScriptedSource;

std::string_view head_of(const rl_request* request) { return {reinterpret_cast<const char*>(request->head), request->head_len}; }

// A ring over a source, on an arena that is sealed as soon as it is open.
struct Opened {
    explicit Opened(ScriptedSource& source, uint32_t in_flight_max = 100) {
        good = ring.open(&source.ops(), &source, arena, in_flight_max);
        arena.seal();
    }
    Arena arena;
    RequestRing ring;
    bool good = false;
};

TEST(RequestRing, HandsOutInOrderAndGivesBackEachOnce) {
    ScriptedSource source;
    source.script = {3, 64, 1};
    source.then = RL_END;
    Opened o(source);
    ASSERT_TRUE(o.good);
    for (uint64_t cookie = 0; cookie < 68; ++cookie) {
        const rl_request* shown = o.ring.peek();
        ASSERT_NE(shown, nullptr) << cookie;
        EXPECT_EQ(shown->cookie, cookie);
        EXPECT_EQ(o.ring.peek(), shown) << "looking takes nothing";
        const rl_request* taken = o.ring.pop();
        EXPECT_EQ(taken->cookie, cookie);
        EXPECT_FALSE(o.ring.ended() && cookie < 67);
        o.ring.recycle(taken);
    }
    EXPECT_EQ(o.ring.peek(), nullptr);
    EXPECT_TRUE(o.ring.ended());
    EXPECT_FALSE(o.ring.failed());
    o.ring.close();
    EXPECT_TRUE(source.all_back());
    EXPECT_EQ(source.max_seen, RequestRing::kBatch);
}

TEST(RequestRing, IsNotAskedAgainOnceItEnded) {
    ScriptedSource source;
    source.script = {RL_END};
    source.then = 5;
    Opened o(source);
    ASSERT_TRUE(o.good);
    EXPECT_TRUE(o.ring.ended());
    for (int i = 0; i < 10; ++i) EXPECT_EQ(o.ring.peek(), nullptr);
    EXPECT_EQ(source.fills, 1u);
}

TEST(RequestRing, NothingNowIsAskedAgain) {
    ScriptedSource source;
    source.script = {0, 0, 2};
    source.then = RL_END;
    Opened o(source);
    ASSERT_TRUE(o.good);
    EXPECT_EQ(o.ring.peek(), nullptr);
    EXPECT_FALSE(o.ring.ended());
    ASSERT_NE(o.ring.peek(), nullptr);
    EXPECT_EQ(o.ring.pop()->cookie, 0u);
}

TEST(RequestRing, WhatIsOutStaysReadableWhileBatchesCome) {
    ScriptedSource source;
    source.then = 64;
    Opened o(source, 1000);
    std::vector<const rl_request*> out;
    for (int i = 0; i < 1000; ++i) {
        ASSERT_NE(o.ring.peek(), nullptr);
        out.push_back(o.ring.pop());
    }
    for (uint64_t i = 0; i < out.size(); ++i) {
        EXPECT_EQ(out[i]->cookie, i);
        EXPECT_EQ(head_of(out[i]), "R" + std::to_string(i));
    }
    for (const rl_request* request : out) o.ring.recycle(request);
    o.ring.close();
    EXPECT_TRUE(source.all_back());
}

TEST(RequestRing, EachCookieOnceInAnyOrder) {
    for (uint64_t seed = 1; seed <= 40; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        Rng rng;
        rng.seed(seed);
        ScriptedSource source(RL_SOURCE_WANTS_RESPONSES);
        source.told_first = true;
        for (int i = 0; i < 30; ++i) source.script.push_back(static_cast<int32_t>(rng.between(0, 64)));
        source.then = RL_END;
        constexpr uint32_t kMost = 20;
        Opened o(source, kMost);
        std::vector<const rl_request*> out;
        uint64_t ended = 0;
        for (int step = 0; step < 5000; ++step) {
            if (rng.between(0, 1) == 0 && out.size() < kMost) {
                if (o.ring.peek() != nullptr) out.push_back(o.ring.pop());
            } else if (!out.empty()) {
                const size_t which = rng.between(0, out.size() - 1);
                o.ring.tell({.cookie = out[which]->cookie, .body_bytes = 0, .service_ns = ++ended, .status = 200, .klass = 0, .error = 0});
                o.ring.recycle(out[which]);
                out.erase(out.begin() + static_cast<std::ptrdiff_t>(which));
            }
            if (rng.between(0, 20) == 0) o.ring.flush();
            if (step == 4000 && rng.between(0, 1) == 0) break;  // in the midst of it
        }
        for (const rl_request* request : out) o.ring.recycle(request);
        source.told_first = false;  // those were cut off, and those that were never taken go back unanswered
        o.ring.close();
        EXPECT_TRUE(source.all_back());
        EXPECT_FALSE(source.recycled_before_told);
        ASSERT_EQ(source.answers.size(), ended);
        for (uint64_t i = 0; i < ended; ++i) EXPECT_EQ(source.answers[i].service_ns, i + 1) << "answers out of order";
        for (const size_t n : source.recycle_sizes) EXPECT_LE(n, size_t{RequestRing::kBatch});
    }
}

TEST(RequestRing, WhatWasNeverTakenGoesBackAtTheEnd) {
    for (const int32_t first : {1, 63, 64}) {
        ScriptedSource source;
        source.script = {first};
        Opened o(source);
        o.ring.close();
        EXPECT_TRUE(source.all_back()) << first;
    }
}

TEST(RequestRing, ASourceWithoutRecycleIsNotCalled) {
    ScriptedSource source;
    source.ops().recycle = nullptr;
    source.then = 64;
    Opened o(source, 4);
    for (int i = 0; i < 500; ++i) {
        ASSERT_NE(o.ring.peek(), nullptr);
        o.ring.recycle(o.ring.pop());
    }
    o.ring.close();
}

TEST(RequestRing, OnlyASourceThatAsksIsToldOfAnswers) {
    ScriptedSource source;
    source.then = 1;
    Opened o(source);
    EXPECT_FALSE(o.ring.wants_responses());
    for (int i = 0; i < 100; ++i) o.ring.tell({});
    o.ring.close();
    EXPECT_TRUE(source.answers.empty());

    ScriptedSource asks_and_cannot(RL_SOURCE_WANTS_RESPONSES);
    asks_and_cannot.ops().responses = nullptr;
    asks_and_cannot.then = 1;
    Opened p(asks_and_cannot);
    EXPECT_FALSE(p.ring.wants_responses());
    p.ring.tell({});
    p.ring.close();
}

TEST(RequestRing, FailuresAreSeenAndEndTheAsking) {
    for (const int32_t answer : {int32_t{RL_FAIL}, -3, INT32_MIN, 65, INT32_MAX}) {
        SCOPED_TRACE(answer);
        ScriptedSource at_once;
        at_once.script = {answer};
        Opened o(at_once);
        EXPECT_FALSE(o.good);
        EXPECT_TRUE(o.ring.failed());

        ScriptedSource later;
        later.script = {2, answer};
        Opened p(later);
        ASSERT_TRUE(p.good);
        for (int i = 0; i < 2; ++i) {
            ASSERT_NE(p.ring.peek(), nullptr);
            p.ring.recycle(p.ring.pop());
        }
        EXPECT_EQ(p.ring.peek(), nullptr);
        EXPECT_TRUE(p.ring.failed());
        EXPECT_FALSE(p.ring.ended());
        EXPECT_EQ(p.ring.peek(), nullptr);
        EXPECT_EQ(later.fills, 2u);
        p.ring.close();
        for (uint64_t cookie = 0; cookie < 2; ++cookie) EXPECT_EQ(later.came_back[cookie], 1u);
    }
}

TEST(RequestRing, AStaticBatchGoesRoundAndNothingComesBack) {
    ScriptedSource source(RL_SOURCE_STATIC);
    source.script = {5};
    source.then = RL_FAIL;
    Opened o(source);
    ASSERT_TRUE(o.good);
    EXPECT_TRUE(o.ring.repeats());
    for (int i = 0; i < 1000; ++i) {
        o.ring.rewind();  // they differ, so their order is kept
        ASSERT_NE(o.ring.peek(), nullptr);
        const rl_request* request = o.ring.pop();
        EXPECT_EQ(head_of(request), "R" + std::to_string(i % 5));
        o.ring.recycle(request);
    }
    EXPECT_FALSE(o.ring.ended());
    o.ring.close();
    EXPECT_EQ(source.fills, 1u);
    EXPECT_TRUE(source.came_back.empty());
}

TEST(RequestRing, RequestsThatAreAllAlikeStartOverAtEachRun) {
    ScriptedSource source(RL_SOURCE_STATIC);
    source.script = {64};
    for (int i = 0; i < 64; ++i) source.heads.push_back("GET");
    Opened o(source);
    const rl_request* const first = o.ring.peek();
    for (int run = 0; run < 10; ++run) {
        o.ring.rewind();
        for (int i = 0; i < 7; ++i) {
            ASSERT_NE(o.ring.peek(), nullptr);
            EXPECT_EQ(o.ring.pop(), first + i);
        }
    }
}

TEST(RequestRing, OneRequestThatDiffersKeepsTheOrder) {
    ScriptedSource source(RL_SOURCE_STATIC);
    source.script = {3};
    source.heads = {"GET", "GET", "PUT"};
    Opened o(source);
    std::string seen;
    for (int i = 0; i < 6; ++i) {
        o.ring.rewind();
        ASSERT_NE(o.ring.peek(), nullptr);
        seen += head_of(o.ring.pop());
    }
    EXPECT_EQ(seen, "GETGETPUTGETGETPUT");
}

}  // namespace
}  // namespace rl::engine
