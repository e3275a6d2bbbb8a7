// The whole worker on the simulated network, over a swarm of seeds: what must hold whatever goes wrong.
//
// Each run uses fresh seeds, which are printed with every failure, and those of seeds.txt, which failed once. To replay one:
//   RINGLOAD_SIM_SEED=12345 worker_sim_test
// RINGLOAD_SIM_RUNS sets how many fresh seeds are tried.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "backends/sim/backend.hpp"
#include "core/engine/run_worker.hpp"
#include "tests/sim/scenario.hpp"
#include "tests/sim/target.hpp"
#include "tests/sim/test_source.hpp"

namespace rl::sim {
namespace {

using engine::LoadModel;
using engine::StopReason;
using stats::Counter;

// One worker's run in a simulated world, and what is known of it afterwards.
class World {
  public:
    explicit World(const Scenario& scenario, uint64_t seed)
        : scenario_(scenario),
          network(seed, scenario.faults),
          target(network, scenario, seed + 1),
          source(scenario, seed + 2),
          pacer(scenario.spec.rate) {
        network.time_limit(network.now() + kTimeLimit);
        target.interrupt = [this] { control_.phase.store(engine::kStop); };
    }

    void run() {
        const engine::Endpoint endpoint = network.listen(target);
        for (size_t code = 200; code < 300; ++code) success_.set(code);
        control_.start_ns = start_ns = network.now();
        control_.phase = engine::kRun;
        const rl_value value = network_value(network);
        ctx.spec = &scenario_.spec;
        ctx.endpoints = {&endpoint, 1};
        ctx.success = &success_;
        ctx.source = &source.ops();
        ctx.source_shared = &source;
        ctx.pacer = &pacer.ops();
        ctx.pacer_shared = &pacer;
        ctx.backend_values = &value;
        ctx.stats = &stats;
        ctx.control = &control_;
        rl_error error{};
        status = engine::run_worker_on<SimBackend>(ctx, error);
        error_text = error.message;
    }
    uint64_t counter(Counter which) const { return stats.counters.get(which); }
    uint64_t errors() const {
        uint64_t sum = 0;
        for (size_t i = 0; i < stats::kTransportErrors; ++i) sum += stats.errors(static_cast<stats::TransportError>(i));
        return sum;
    }

  private:
    static constexpr uint64_t kTimeLimit = 600'000'000'000;  // virtual; far beyond what any scenario needs
    const Scenario& scenario_;
    engine::RunControl control_;
    std::bitset<1000> success_;

  public:
    Network network;
    Target target;
    TestSource source;
    TestPacer pacer;
    stats::WorkerStats stats;
    WorkerCtx ctx;
    uint64_t start_ns = 0;
    int status = -1;
    std::string error_text;
};

void expect_sums(const Scenario& s, const World& w) {
    const uint64_t requests = w.counter(Counter::requests), responses = w.counter(Counter::responses);
    EXPECT_EQ(requests, responses + w.errors() + w.counter(Counter::abandoned));
    EXPECT_LE(w.counter(Counter::ok), responses);
    uint64_t by_status = 0;
    for (unsigned status = 100; status < 1000; ++status) by_status += w.stats.status_count(status);
    EXPECT_EQ(by_status, responses);
    EXPECT_LE(w.counter(Counter::connects_done) + w.counter(Counter::connects_failed), w.counter(Counter::connects_started));
    EXPECT_EQ(w.stats.connections_live(), 0u);
    EXPECT_EQ(w.network.live(), 0u) << "connections without their last event";
    if (s.spec.requests != 0) {
        EXPECT_LE(requests, s.spec.requests);
    }
    const bool all_asked_for = w.ctx.stop == StopReason::requests || w.ctx.stop == StopReason::gave_up;
    if (s.spec.requests != 0 && all_asked_for && s.source_ends_after >= s.spec.requests) {
        // A slot that was passed over has taken the place of a request.
        const uint64_t passed_over = w.counter(Counter::slots_dropped) + w.counter(Counter::slots_shed) + w.counter(Counter::slots_skipped);
        EXPECT_EQ(requests + passed_over, s.spec.requests);
    }
}

void expect_source_got_everything_back(const Scenario& s, const World& w) {
    if (!s.is_static) {
        EXPECT_EQ(w.source.returned, w.source.handed_out) << "cookies that did not come back";
    }
    if (!s.wants_responses) return;
    EXPECT_LE(w.counter(Counter::responses) + w.errors(), w.counter(Counter::requests));
    EXPECT_EQ(w.source.told, w.counter(Counter::responses) + w.errors());
    EXPECT_EQ(w.source.told_failed, w.errors());
}

void expect_target_agrees(const Scenario& s, const World& w) {
    EXPECT_EQ(w.target.malformed, 0u) << "requests arrived changed";
    EXPECT_LE(w.target.seen, w.counter(Counter::requests) + w.counter(Counter::retries));
    EXPECT_LE(w.counter(Counter::responses), w.target.answered);
    if (!s.is_static) {
        for (const auto& [path, times] : w.target.seen_by_path) EXPECT_LE(times, 2u) << path << " was sent more often than a retry allows";
    }
    if (!s.faultless) return;
    EXPECT_EQ(w.errors(), 0u);
    EXPECT_EQ(w.target.seen, w.counter(Counter::requests));
    if (w.counter(Counter::abandoned) != 0) return;
    EXPECT_EQ(w.counter(Counter::responses), w.target.answered);
    EXPECT_EQ(w.counter(Counter::bytes_received), w.target.octets_written);
    EXPECT_EQ(w.counter(Counter::bytes_sent), w.target.octets_read);
    EXPECT_EQ(w.counter(Counter::bytes_body), w.target.body_octets);
}

void expect_schedule(const Scenario& s, const World& w) {
    if (s.spec.rate == 0) return;
    EXPECT_LE(w.counter(Counter::slots_issued), w.pacer.granted);
    EXPECT_LE(w.counter(Counter::slots_issued), w.counter(Counter::requests));
    if (s.spec.load_model != LoadModel::closed) {
        const uint64_t met = w.counter(Counter::slots_issued) + w.counter(Counter::slots_dropped) + w.counter(Counter::slots_shed) +
                             w.counter(Counter::slots_skipped);
        EXPECT_LE(met, w.ctx.slots_scheduled);
    }
    if (s.spec.load_model != LoadModel::open) {
        EXPECT_EQ(w.counter(Counter::slots_dropped), 0u);
    }
    if (s.spec.deadline == 0) {
        EXPECT_EQ(w.counter(Counter::slots_shed), 0u);
    }
    // Slot k is due at k/R, and nothing leaves before it is due; so no arrival may come earlier than its place in the order allows.
    for (size_t k = 0; k < w.target.arrivals.size(); ++k) {
        if (w.counter(Counter::retries) != 0) break;  // a second try has no slot of its own
        ASSERT_GE(w.target.arrivals[k], w.start_ns + w.pacer.due_ns(k)) << "request " << k << " left before it was due";
    }
}

void expect_end(const Scenario& s, const World& w) {
    EXPECT_EQ(w.status, 0) << w.error_text;
    if (w.status != 0) return;
    EXPECT_NE(w.ctx.stop, StopReason::failed);
    if (s.interrupt_after == UINT64_MAX) {
        EXPECT_NE(w.ctx.stop, StopReason::interrupted);
    }
    if (s.spec.duration != 0) {
        EXPECT_LE(w.ctx.window_end_ns, w.start_ns + static_cast<uint64_t>(s.spec.duration));
        // The drain, and the last connections to close: half a second and a second, see the contract.
        EXPECT_LE(w.network.now(), w.start_ns + static_cast<uint64_t>(s.spec.duration) + 1'600'000'000);
    }
    if (s.spec.duration == 0 && s.interrupt_after == UINT64_MAX) {
        EXPECT_NE(w.ctx.stop, StopReason::duration);
    }
}

uint64_t run_seed(uint64_t seed) {
    Random random(seed);
    const Scenario scenario = draw_scenario(random);
    SCOPED_TRACE("RINGLOAD_SIM_SEED=" + std::to_string(seed) + ": " + scenario.text());
    World world(scenario, seed);
    world.run();
    expect_end(scenario, world);
    expect_sums(scenario, world);
    expect_source_got_everything_back(scenario, world);
    expect_target_agrees(scenario, world);
    expect_schedule(scenario, world);
    return world.network.trace();
}

uint64_t number_from(const char* variable, uint64_t otherwise) {
    const char* text = std::getenv(variable);
    return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(WorkerSim, FreshSeeds) {
    if (const uint64_t one = number_from("RINGLOAD_SIM_SEED", 0); one != 0) {
        run_seed(one);
        return;
    }
    std::random_device device;
    const uint64_t first = (uint64_t{device()} << 20) + 1, runs = number_from("RINGLOAD_SIM_RUNS", 200);
    std::printf("seeds %llu to %llu\n", static_cast<unsigned long long>(first), static_cast<unsigned long long>(first + runs - 1));
    for (uint64_t seed = first; seed < first + runs && !::testing::Test::HasFailure(); ++seed) run_seed(seed);
}

TEST(WorkerSim, SeedsThatOnceFailed) {
    std::ifstream file(RL_SIM_SEEDS);
    ASSERT_TRUE(file.is_open()) << RL_SIM_SEEDS;
    uint64_t count = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line[0] == '#') continue;
        run_seed(std::stoull(line));
        ++count;
    }
    EXPECT_GT(count, 0u);
}

TEST(WorkerSim, SameSeedSameTrace) {
    for (uint64_t seed = 1; seed <= 20; ++seed) EXPECT_EQ(run_seed(seed), run_seed(seed)) << "seed " << seed;
    EXPECT_NE(run_seed(1), run_seed(2));
}

// ---- single scenarios, exact figures ------------------------------------------------------------------------------------------------

TEST(WorkerSim, CountIsExactForAnySplit) {
    for (const uint64_t requests : {uint64_t{1}, uint64_t{7}, uint64_t{64}, uint64_t{1000}}) {
        for (const uint32_t connections : {1u, 3u, 50u}) {
            for (const uint32_t pipeline : {1u, 16u}) {
                Scenario s;
                s.spec.requests = requests;
                s.spec.connections = connections;
                s.spec.pipeline = pipeline;
                s.spec.workers = 1;
                World w(s, requests + connections);
                w.run();
                expect_end(s, w);
                EXPECT_EQ(w.ctx.stop, StopReason::requests);
                EXPECT_EQ(w.target.seen, requests);
                EXPECT_EQ(w.counter(Counter::responses), requests);
                EXPECT_EQ(w.counter(Counter::connects_started), std::min<uint64_t>(requests, connections));
            }
        }
    }
}

TEST(WorkerSim, ATargetThatRefusesEverythingEndsACountedRun) {
    Scenario s;
    s.spec.requests = 1000;
    s.spec.connections = 5;
    s.spec.workers = 1;
    s.faults.refused = 1;
    World w(s, 1);
    w.run();
    expect_end(s, w);
    EXPECT_EQ(w.ctx.stop, StopReason::gave_up);
    EXPECT_EQ(w.target.seen, 0u);
    EXPECT_EQ(w.counter(Counter::requests), 1000u);
    EXPECT_EQ(w.stats.errors(stats::TransportError::connect_refused) + w.counter(Counter::abandoned), 1000u);
    EXPECT_GT(w.stats.errors(stats::TransportError::connect_refused), 0u);
}

TEST(WorkerSim, ATargetThatNeverAnswersTimesOutOneByOne) {
    Scenario s;
    s.spec.requests = 20;
    s.spec.connections = 4;
    s.spec.workers = 1;
    s.spec.timeout = 50 * kMillisecond;
    s.mute = 1;
    World w(s, 1);
    w.run();
    expect_end(s, w);
    EXPECT_EQ(w.counter(Counter::requests), 20u);
    EXPECT_EQ(w.stats.errors(stats::TransportError::request_timeout) + w.counter(Counter::abandoned), 20u);
    EXPECT_EQ(w.counter(Counter::responses), 0u);
}

TEST(WorkerSim, AScheduleIsKeptToTheNanosecond) {
    Scenario s;
    s.spec.duration = 100 * kMillisecond;
    s.spec.connections = 20;
    s.spec.workers = 1;
    s.spec.rate = 3000;
    s.spec.load_model = LoadModel::scheduled;
    World w(s, 1);
    w.run();
    expect_end(s, w);
    EXPECT_EQ(w.ctx.slots_scheduled, 300u);
    EXPECT_EQ(w.counter(Counter::slots_issued), 300u);
    EXPECT_EQ(w.target.seen, 300u);
    // Late by the cost of a turn or two, never by a tick of something coarser; the first slot waits for its connection to open.
    EXPECT_LE(w.stats.send_delay().value_at(99), 20'000u);
    EXPECT_LE(w.stats.send_delay().max(), 100'000u);
    expect_schedule(s, w);
}

TEST(WorkerSim, ASlowTargetIsChargedFromTheDueTime) {
    Scenario s;
    s.spec.duration = 1000 * kMillisecond;
    s.spec.connections = 1;
    s.spec.workers = 1;
    s.spec.rate = 100;
    s.spec.load_model = LoadModel::scheduled;
    s.faults.latency_ns_min = s.faults.latency_ns_max = 10'000'000;  // an exchange takes 20 ms, a slot comes every 10 ms
    World w(s, 1);
    w.run();
    expect_end(s, w);
    EXPECT_EQ(w.ctx.slots_scheduled, 100u);
    EXPECT_NEAR(static_cast<double>(w.counter(Counter::slots_issued)), 50.0, 2.0);
    EXPECT_NEAR(static_cast<double>(w.stats.corrected().max()), 510e6, 30e6) << "the backlog at the end is half of the run";
}

}  // namespace
}  // namespace rl::sim
