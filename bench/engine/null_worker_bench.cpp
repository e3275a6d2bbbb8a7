// The engine's ceiling: how many requests a second does one worker manage when the backend answers at once from memory?
//
// Everything that the engine does for a request is in it (hand it over, parse the answer, take the time, record it, time-outs), and
// nothing of the kernel. Time is the CPU time of the worker between its start and its last answer.
#include <benchmark/benchmark.h>

#include "backends/null/backend.hpp"
#include "bench/engine/canned_run.hpp"

namespace rl::bench {
namespace {

void null_worker(benchmark::State& state) {
    const auto connections = static_cast<uint32_t>(state.range(0));
    const auto pipeline = static_cast<uint32_t>(state.range(1));
    const uint64_t requests = 200'000;
    uint64_t answers = 0;
    for (auto _ : state) {
        CannedRun run(connections, pipeline, requests);
        if (const char* reason = run.run<null::NullBackend>(); reason != nullptr) {
            state.SkipWithError(reason);
            return;
        }
        if (run.answers() != requests) {
            state.SkipWithError("the worker ended without an answer to each of its requests");
            return;
        }
        state.SetIterationTime(static_cast<double>(run.facts().cpu_ns) / 1e9);
        answers += run.answers();
    }
    state.SetItemsProcessed(static_cast<int64_t>(answers));
    state.counters["per_request"] =
        benchmark::Counter(static_cast<double>(answers), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(null_worker)
    ->ArgNames({"connections", "pipeline"})
    ->ArgsProduct({{1, 10, 100, 1000}, {1}})
    ->ArgsProduct({{10, 100}, {4, 16, 64}})
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace rl::bench

BENCHMARK_MAIN();
