// The seeded generator: repeatable, within its bounds, and not the same for every seed.
#include "core/base/rng.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <set>

namespace rl {
namespace {

Rng seeded(uint64_t seed) {
    Rng rng;
    rng.seed(seed);
    return rng;
}

TEST(Rng, TheSameSeedGivesTheSameNumbers) {
    for (const uint64_t seed : {uint64_t{0}, uint64_t{1}, UINT64_MAX}) {
        Rng a = seeded(seed), b = seeded(seed);
        for (int i = 0; i < 1000; ++i) ASSERT_EQ(a.next(), b.next());
    }
}

TEST(Rng, SeedsDifferAndNumbersDoNotRepeat) {
    std::set<uint64_t> seen;
    for (uint64_t seed = 0; seed < 100; ++seed) {
        Rng rng = seeded(seed);
        for (int i = 0; i < 100; ++i) EXPECT_TRUE(seen.insert(rng.next()).second) << "seed " << seed;
    }
}

TEST(Rng, EveryNumberOfARangeAndNoOther) {
    Rng rng = seeded(5);
    std::array<int, 7> times{};
    for (int i = 0; i < 70'000; ++i) {
        const uint64_t n = rng.between(10, 16);
        ASSERT_GE(n, 10u);
        ASSERT_LE(n, 16u);
        ++times[n - 10];
    }
    for (const int n : times) EXPECT_NEAR(n, 10'000, 500);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(rng.between(3, 3), 3u);
}

}  // namespace
}  // namespace rl
