// What does each way to scan a head cost? Nanoseconds per head; the arguments are the way (0 plain, 1 SSE2, 2 AVX2, 3 AVX-512) and
// the size of the head. Ways that this processor lacks are left out.
#include <benchmark/benchmark.h>

#include "bench/micro/answers.hpp"
#include "core/base/assert.hpp"
#include "core/http/scan.hpp"

namespace rl::bench {
namespace {

void scan(benchmark::State& state) {
    const auto way = static_cast<http::ScanWay>(state.range(0));
    const bool small = state.range(1) == 140;
    const std::vector<std::string> answers = copies(small ? small_head : large_head, "ok");
    size_t next = 0;
    for (auto _ : state) {
        const std::string& answer = answers[next++ % kCopies];
        http::HeadScan found;
        http::scan_head_by(way, answer.data(), answer.size(), &found);
        RL_ASSERT(found.head_bytes == answer.size() - 2);
    }
}
BENCHMARK(scan)->ArgNames({"way", "octets"})->Apply([](auto* bench) {
    for (int64_t way = 0; way < 4; ++way) {
        if (http::has_way(static_cast<http::ScanWay>(way))) bench->Args({way, 140})->Args({way, 573});
    }
});

}  // namespace
}  // namespace rl::bench

BENCHMARK_MAIN();
