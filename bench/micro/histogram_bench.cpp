// What does a latency cost: to record on the hot path, and to read, merge and encode once a second or at the end?
//
// record: nanoseconds per value, for latencies that stay within a few buckets (a fast target), that spread over three decades, and that
// spread over the whole range (every value misses the cache). The others are per call, for a histogram that spreads over three decades.
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/report/hdr_encode.hpp"
#include "core/stats/histogram.hpp"

namespace rl::stats {
namespace {

constexpr size_t kValues = 1 << 16;

// Values spread evenly over the powers of two from 2^low to 2^high nanoseconds.
std::vector<uint64_t> values_between(double low, double high) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> exponent(low, high);
    std::vector<uint64_t> values(kValues);
    for (uint64_t& value : values) value = static_cast<uint64_t>(std::exp2(exponent(random)));
    return values;
}

Histogram three_decades() {
    Histogram h;
    for (uint64_t value : values_between(16, 26)) h.record(value);
    return h;
}

void record(benchmark::State& state, double low, double high) {
    const std::vector<uint64_t> values = values_between(low, high);
    Histogram h;
    size_t next = 0;
    for (auto _ : state) {
        h.record(values[next]);
        next = (next + 1) % kValues;
        benchmark::ClobberMemory();
    }
    state.SetItemsProcessed(state.iterations());
    state.counters["checksum"] = static_cast<double>(h.count());
}
BENCHMARK_CAPTURE(record, one_bucket, 20.0, 20.001);
BENCHMARK_CAPTURE(record, three_decades, 16.0, 26.0);
BENCHMARK_CAPTURE(record, whole_range, 0.0, 42.0);

void merge(benchmark::State& state) {
    const Histogram part = three_decades();
    Histogram whole;
    for (auto _ : state) whole.add(part);
    state.counters["checksum"] = static_cast<double>(whole.count());
}
BENCHMARK(merge)->Unit(benchmark::kMicrosecond);

void percentile(benchmark::State& state) {
    const Histogram h = three_decades();
    uint64_t sum = 0;
    for (auto _ : state) {
        sum += h.value_at(99);
        benchmark::DoNotOptimize(sum);
    }
    state.counters["checksum"] = static_cast<double>(h.value_at(99));
}
BENCHMARK(percentile)->Unit(benchmark::kMicrosecond);

void interval(benchmark::State& state) {
    const Histogram earlier = three_decades();
    Histogram now;
    for (auto _ : state) {
        now.clear();
        now.add(earlier);
        now.add(earlier);
        now.subtract(earlier);
    }
    state.counters["checksum"] = static_cast<double>(now.count());
}
BENCHMARK(interval)->Unit(benchmark::kMicrosecond);

void encode(benchmark::State& state) {
    const Histogram h = three_decades();
    size_t size = 0;
    for (auto _ : state) {
        size = report::encode_hdr_v2(h).size();
        benchmark::DoNotOptimize(size);
    }
    state.counters["octets"] = static_cast<double>(size);
}
BENCHMARK(encode)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace rl::stats

BENCHMARK_MAIN();
