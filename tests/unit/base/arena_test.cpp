// Start-up memory: aligned, zeroed, never overlapping, and closed for good once it is sealed.
#include "core/base/arena.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

#include "core/base/ring.hpp"
#include "core/base/rng.hpp"

namespace rl {
namespace {

bool is_aligned(const void* memory, size_t align) { return reinterpret_cast<uintptr_t>(memory) % align == 0; }

TEST(Arena, KeepsEveryAlignment) {
    Arena arena;
    for (size_t align = 1; align <= 4096; align *= 2) {
        EXPECT_TRUE(is_aligned(arena.allocate(1), alignof(std::max_align_t)));
        EXPECT_TRUE(is_aligned(arena.allocate(3, align), align)) << align;
    }
    struct alignas(64) Line {
        char octets[64];
    };
    arena.allocate(1, 1);
    EXPECT_TRUE(is_aligned(arena.array<Line>(3).data(), 64));
    arena.allocate(1, 1);
    EXPECT_TRUE(is_aligned(arena.array<char>(3).data(), 64)) << "arrays do not share a cache line";
}

TEST(Arena, PiecesAreZeroedAndDoNotOverlap) {
    Arena arena;
    Rng rng;
    rng.seed(7);
    std::vector<std::pair<unsigned char*, size_t>> pieces;
    for (int i = 0; i < 2000; ++i) {
        const size_t size = rng.between(0, 50) == 0 ? rng.between(200'000, 1'000'000) : rng.between(1, 5000);
        auto* piece = static_cast<unsigned char*>(arena.allocate(size, size_t{1} << rng.between(0, 7)));
        ASSERT_TRUE(std::all_of(piece, piece + size, [](unsigned char octet) { return octet == 0; })) << "piece " << i;
        std::memset(piece, 0xff, size);
        pieces.emplace_back(piece, size);
    }
    std::sort(pieces.begin(), pieces.end());
    for (size_t i = 1; i < pieces.size(); ++i) ASSERT_LE(pieces[i - 1].first + pieces[i - 1].second, pieces[i].first);
}

TEST(Arena, AnArrayIsConstructed) {
    struct Thing {
        int value = 42;
    };
    Arena arena;
    const auto things = arena.array<Thing>(1000);
    ASSERT_EQ(things.size(), 1000u);
    for (const Thing& thing : things) EXPECT_EQ(thing.value, 42);
    EXPECT_EQ(arena.array<Thing>(0).size(), 0u);
}

#if !defined(_WIN32)  // there committed pages count against a limit whether they are touched or not
TEST(Arena, WhatIsNotTouchedCostsNothing) {
    // More than the machines that run this have.
    Arena arena;
    const auto large = arena.array<char>(size_t{1} << 36);
    large.front() = large.back() = 1;
}
#endif

TEST(ArenaDeathTest, NothingAfterTheSeal) {
    Arena arena;
    arena.allocate(8);
    arena.seal();
    EXPECT_DEATH(arena.allocate(8), "assertion failed");
}

TEST(Ring, FirstInFirstOut) {
    Arena arena;
    Ring<uint32_t> ring;
    ring.open(arena, 5);
    EXPECT_TRUE(ring.empty());
    uint32_t in = 0, out = 0;
    for (int round = 0; round < 100; ++round) {
        for (int i = 0; i < 5; ++i) ring.push(in++);
        EXPECT_EQ(ring.size(), 5u);
        for (int i = 0; i < 5 - round % 5; ++i) EXPECT_EQ(ring.pop(), out++);
        while (!ring.empty()) EXPECT_EQ(ring.pop(), out++);
    }
    EXPECT_EQ(in, out);
    EXPECT_EQ(ring.size(), 0u);
}

TEST(Ring, ACapacityOfNoughtStillOpens) {
    Arena arena;
    Ring<uint32_t> ring;
    ring.open(arena, 0);
    EXPECT_TRUE(ring.empty());
}

}  // namespace
}  // namespace rl
