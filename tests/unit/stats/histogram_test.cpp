// The histogram against what it stands for: a sorted list of the raw values.
#include "core/stats/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace rl::stats {
namespace {

constexpr uint64_t kHour = 3'600'000'000'000;

uint64_t nearest_rank(const std::vector<uint64_t>& sorted, uint64_t per_hundred_thousand) {
    const uint64_t n = sorted.size();
    const uint64_t rank = std::max<uint64_t>(1, (n * per_hundred_thousand + 99'999) / 100'000);
    return sorted[rank - 1];
}

// Lower and upper halves of the range are hit alike: 2^0 .. 2^top.
std::vector<uint64_t> wide_values(size_t count, unsigned top, uint64_t seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> exponent(0, top);
    std::vector<uint64_t> values(count);
    for (uint64_t& v : values) v = static_cast<uint64_t>(std::exp2(exponent(random)));
    return values;
}

Histogram of(const std::vector<uint64_t>& values) {
    Histogram h;
    for (uint64_t v : values) h.record(v);
    return h;
}

void expect_same(const Histogram& a, const Histogram& b) {
    EXPECT_EQ(a.count(), b.count());
    EXPECT_EQ(a.overflow(), b.overflow());
    EXPECT_EQ(a.min(), b.min());
    EXPECT_EQ(a.max(), b.max());
    EXPECT_DOUBLE_EQ(a.mean(), b.mean());
    EXPECT_DOUBLE_EQ(a.stdev(), b.stdev());
    for (double p = 0; p <= 100; p += 0.25) EXPECT_EQ(a.value_at(p), b.value_at(p)) << p;
}

TEST(Histogram, EveryBucketBeginsWhereTheLastEnded) {
    uint64_t expected_low = 0;
    for (size_t i = 0; i < Histogram::kBuckets; ++i) {
        ASSERT_EQ(Histogram::bucket_low(i), expected_low) << i;
        expected_low = Histogram::bucket_high(i);
        ASSERT_EQ(Histogram::bucket_of(Histogram::bucket_low(i)), i);
        ASSERT_EQ(Histogram::bucket_of(expected_low - 1), i);
        const double width = static_cast<double>(expected_low - Histogram::bucket_low(i));
        ASSERT_LE((width - 1) / static_cast<double>(std::max<uint64_t>(1, Histogram::bucket_low(i))), 0.001);
    }
    EXPECT_EQ(expected_low, Histogram::kLimit);
}

TEST(Histogram, PercentilesOfRandomValuesAreWithinAThousandth) {
    for (uint64_t seed : {1u, 2u, 3u}) {
        std::vector<uint64_t> values = wide_values(50'021, 41, seed);
        const Histogram h = of(values);
        std::sort(values.begin(), values.end());
        for (uint64_t p : {0u, 1u, 1'000u, 10'000u, 25'000u, 50'000u, 75'000u, 90'000u, 95'000u, 99'000u, 99'900u, 99'990u, 100'000u}) {
            const uint64_t exact = nearest_rank(values, p);
            const uint64_t got = h.value_at(static_cast<double>(p) / 1000);
            EXPECT_GE(got, exact) << p;
            EXPECT_LE(static_cast<double>(got - exact), static_cast<double>(exact) * 0.001) << p;
        }
    }
}

TEST(Histogram, SmallValuesAreExactAtEveryRank) {
    std::vector<uint64_t> values;
    for (uint64_t v = 1; v <= 1000; ++v) values.push_back(v);
    const Histogram h = of(values);
    EXPECT_EQ(h.value_at(0), 1u);
    EXPECT_EQ(h.value_at(50), 500u);
    EXPECT_EQ(h.value_at(50.01), 501u);
    EXPECT_EQ(h.value_at(99), 990u);
    EXPECT_EQ(h.value_at(99.9), 999u);
    EXPECT_EQ(h.value_at(100), 1000u);
    EXPECT_DOUBLE_EQ(h.mean(), 500.5);
    EXPECT_NEAR(h.stdev(), std::sqrt((1000.0 * 1000.0 - 1) / 12), 1e-6);
}

TEST(Histogram, EmptyIsZeroEverywhere) {
    const Histogram h;
    EXPECT_EQ(h.count(), 0u);
    EXPECT_EQ(h.min(), 0u);
    EXPECT_EQ(h.max(), 0u);
    EXPECT_EQ(h.mean(), 0.0);
    EXPECT_EQ(h.stdev(), 0.0);
    EXPECT_EQ(h.value_at(50), 0u);
    h.each([](uint64_t, uint64_t, uint64_t) { FAIL() << "an empty histogram has no bucket"; });
}

TEST(Histogram, OneValueIsEveryPercentile) {
    Histogram h;
    h.record(123'456'789);
    for (double p : {0.0, 50.0, 99.999, 100.0}) EXPECT_EQ(h.value_at(p), 123'456'789u) << p;
    EXPECT_EQ(h.min(), 123'456'789u);
    EXPECT_EQ(h.stdev(), 0.0);
}

TEST(Histogram, ValueAtIsNeverAboveMax) {
    Histogram h;
    for (uint64_t i = 0; i < 100; ++i) h.record(1'000'000'001 + i);
    for (double p = 0; p <= 100; p += 1) EXPECT_LE(h.value_at(p), h.max());
}

TEST(Histogram, ZeroIsAValue) {
    Histogram h;
    h.record(0);
    h.record(0);
    EXPECT_EQ(h.count(), 2u);
    EXPECT_EQ(h.min(), 0u);
    EXPECT_EQ(h.value_at(100), 0u);
}

TEST(Histogram, TwoHoursOverflowButAreCounted) {
    Histogram h;
    for (int i = 0; i < 9; ++i) h.record(1000);
    h.record(2 * kHour);
    EXPECT_EQ(h.count(), 10u);
    EXPECT_EQ(h.overflow(), 1u);
    EXPECT_EQ(h.max(), 2 * kHour);
    EXPECT_DOUBLE_EQ(h.mean(), (9'000.0 + 2.0 * static_cast<double>(kHour)) / 10);
    EXPECT_EQ(h.value_at(90), 1000u);
    EXPECT_EQ(h.value_at(91), 2 * kHour);
}

TEST(Histogram, OneHourIsKept) {
    Histogram h;
    h.record(kHour);
    h.record(Histogram::kLimit - 1);
    EXPECT_EQ(h.overflow(), 0u);
    EXPECT_NEAR(static_cast<double>(h.value_at(50)), static_cast<double>(kHour), static_cast<double>(kHour) * 0.001);
}

TEST(Histogram, TheMeanOutlivesTheSumOf64Bits) {
    Histogram h;
    Histogram half;
    const uint64_t great = std::numeric_limits<uint64_t>::max() - 3;
    for (int i = 0; i < 8; ++i) h.record(great);
    for (int i = 0; i < 4; ++i) half.record(great);
    EXPECT_DOUBLE_EQ(h.mean(), static_cast<double>(great));
    Histogram merged;
    merged.add(half);
    merged.add(half);
    EXPECT_DOUBLE_EQ(merged.mean(), static_cast<double>(great));
    h.subtract(half);
    EXPECT_EQ(h.count(), 4u);
    EXPECT_DOUBLE_EQ(h.mean(), static_cast<double>(great));
}

TEST(Histogram, PartsAddUpToTheWhole) {
    const std::vector<uint64_t> values = wide_values(20'000, 43, 7);
    Histogram parts[3];
    for (size_t i = 0; i < values.size(); ++i) parts[i % 3].record(values[i]);
    Histogram merged;
    for (const Histogram& part : parts) merged.add(part);
    expect_same(merged, of(values));
}

TEST(Histogram, AddingNothingChangesNothing) {
    const std::vector<uint64_t> values = wide_values(1000, 30, 9);
    Histogram h = of(values);
    h.add(Histogram());
    expect_same(h, of(values));
    Histogram empty;
    empty.add(h);
    expect_same(empty, h);
}

TEST(Histogram, SubtractLeavesTheInterval) {
    const std::vector<uint64_t> first = wide_values(5000, 43, 11);
    const std::vector<uint64_t> second = wide_values(5000, 20, 12);
    Histogram whole = of(first);
    const Histogram earlier = of(first);
    for (uint64_t v : second) whole.record(v);
    whole.subtract(earlier);
    const Histogram interval = of(second);
    EXPECT_EQ(whole.count(), interval.count());
    EXPECT_EQ(whole.overflow(), 0u);
    EXPECT_NEAR(whole.mean(), interval.mean(), interval.mean() * 1e-9);
    EXPECT_EQ(Histogram::bucket_of(whole.max()), Histogram::bucket_of(interval.max()));
    EXPECT_EQ(Histogram::bucket_of(whole.min()), Histogram::bucket_of(interval.min()));
    for (double p : {1.0, 50.0, 90.0, 99.0}) EXPECT_EQ(whole.value_at(p), interval.value_at(p));
}

TEST(Histogram, SubtractingAllLeavesAnEmptyOne) {
    const std::vector<uint64_t> values = wide_values(100, 43, 13);
    Histogram h = of(values);
    h.subtract(of(values));
    EXPECT_EQ(h.count(), 0u);
    EXPECT_EQ(h.max(), 0u);
    h.record(5);
    EXPECT_EQ(h.min(), 5u);
    EXPECT_EQ(h.max(), 5u);
    EXPECT_DOUBLE_EQ(h.mean(), 5.0);
}

TEST(Histogram, AnIntervalOfOverflowOnly) {
    Histogram h;
    h.record(10);
    Histogram earlier;
    earlier.record(10);
    h.record(2 * kHour);
    h.subtract(earlier);
    EXPECT_EQ(h.count(), 1u);
    EXPECT_EQ(h.max(), 2 * kHour);
    EXPECT_GE(h.min(), Histogram::kLimit);
    EXPECT_LE(h.min(), h.max());
}

TEST(Histogram, ClearedIsAsNew) {
    Histogram h = of(wide_values(1000, 43, 17));
    h.clear();
    expect_same(h, Histogram());
}

TEST(Histogram, EachVisitsAllValuesAscending) {
    const std::vector<uint64_t> values = wide_values(3000, 41, 19);
    uint64_t sum = 0;
    uint64_t last_high = 0;
    of(values).each([&](uint64_t low, uint64_t high, uint64_t count) {
        EXPECT_GE(low, last_high);
        EXPECT_LT(low, high);
        last_high = high;
        sum += count;
    });
    EXPECT_EQ(sum, values.size());
}

TEST(Histogram, MovedOneKeepsItsValues) {
    Histogram a = of({1, 2, 3});
    Histogram b = std::move(a);
    EXPECT_EQ(b.count(), 3u);
    Histogram c;
    c = std::move(b);
    EXPECT_EQ(c.max(), 3u);
}

}  // namespace
}  // namespace rl::stats
