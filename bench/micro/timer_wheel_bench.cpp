// What do time-outs cost the engine: to arm one, to take it back, to look round when nothing is due, and to fire?
#include <benchmark/benchmark.h>

#include <cstdint>

#include "core/base/arena.hpp"
#include "core/engine/timer_wheel.hpp"

namespace rl::bench {
namespace {

constexpr uint64_t kTick = 1'000'000;

// Spreads deadlines over half a turn of the wheel without a generator in the loop.
uint64_t deadline_of(uint64_t now, uint32_t timer) {
    return now + kTick + uint64_t{timer} * 7919 % (engine::TimerWheel::kTicks / 2) * kTick;
}

void arm_and_disarm(benchmark::State& state) {
    const auto timers = static_cast<uint32_t>(state.range(0));
    Arena arena;
    engine::TimerWheel wheel;
    wheel.open(arena, timers, kTick, 0);
    uint32_t timer = 0;
    for (auto _ : state) {
        wheel.arm(timer, deadline_of(0, timer));
        wheel.disarm(timer);
        timer = timer + 1 == timers ? 0 : timer + 1;
    }
    if (wheel.next_ns() != UINT64_MAX) state.SkipWithError("a timer was left armed");
    state.SetItemsProcessed(state.iterations());
}
BENCHMARK(arm_and_disarm)->ArgName("timers")->Arg(10)->Arg(1000)->Arg(10'000);

// One turn of the worker's loop with nothing due: what the engine asks each time it goes round.
void idle_turn(benchmark::State& state) {
    const auto timers = static_cast<uint32_t>(state.range(0));
    Arena arena;
    engine::TimerWheel wheel;
    wheel.open(arena, timers, kTick, 0);
    for (uint32_t timer = 0; timer < timers; ++timer) wheel.arm(timer, 500 * kTick);
    uint64_t fired = 0;
    for (auto _ : state) {
        wheel.expire(kTick / 2, [&](uint32_t) { ++fired; });
        benchmark::DoNotOptimize(wheel.next_ns());
    }
    if (fired != 0) state.SkipWithError("a timer fired early");
}
BENCHMARK(idle_turn)->ArgName("timers")->Arg(10)->Arg(10'000);

// Every timer fires and is armed again: the cost of a time-out, and of one that is looked at and put off.
void expire_and_arm(benchmark::State& state) {
    const auto timers = static_cast<uint32_t>(state.range(0));
    Arena arena;
    engine::TimerWheel wheel;
    wheel.open(arena, timers, kTick, 0);
    for (uint32_t timer = 0; timer < timers; ++timer) wheel.arm(timer, deadline_of(0, timer));
    uint64_t now = 0, fired = 0;
    for (auto _ : state) {
        now += kTick;
        wheel.expire(now, [&](uint32_t timer) {
            ++fired;
            wheel.arm(timer, deadline_of(now, timer));
        });
    }
    state.SetItemsProcessed(static_cast<int64_t>(fired));
}
BENCHMARK(expire_and_arm)->ArgName("timers")->Arg(10)->Arg(1000)->Arg(10'000);

}  // namespace
}  // namespace rl::bench

BENCHMARK_MAIN();
