// After the start a worker allocates nothing and gives nothing back, on no backend, whatever goes wrong on its connections.
//
// Each run takes place in a child process that ends at once when memory is asked for or given back between the first connect and the
// end of the last connection. The target is another process.
#include <gtest/gtest.h>

#include <array>
#include <bitset>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/epoll/backend.hpp"
#include "backends/null/backend.hpp"
#include "core/engine/run_worker.hpp"
#include "tests/support/alloc_trap.hpp"
#include "tests/unit/engine/served.hpp"
#ifdef RL_TEST_IO_URING
#include "backends/io_uring/backend.hpp"
#endif
#ifdef RL_TEST_KQUEUE
#include "backends/kqueue/backend.hpp"
#endif

namespace rl::testing {
namespace {

using engine::Backend;
using stats::Counter;

// Everything that a worker does after its start begins with a connect and ends with its last connection.
template <Backend B>
class Trapped : public B {
  public:
    void connect(engine::ConnId id, const engine::Endpoint& endpoint) noexcept {
        alloc_trap_armed = true;
        B::connect(id, endpoint);
    }
    template <class Sink>
    void drain(Sink& sink, uint64_t until_ns) noexcept {
        B::drain(sink, until_ns);
        alloc_trap_armed = false;
    }
};

// Requests from a fixed table, handed out without any allocation of its own; counts what comes back.
class Table {
  public:
    enum class Kind { repeated, recycled };

    explicit Table(Kind kind) {
        ops.size = sizeof ops;
        ops.flags = kind == Kind::repeated ? uint32_t{RL_SOURCE_STATIC} : uint32_t{RL_SOURCE_WANTS_RESPONSES};
        ops.worker_open = [](void* shared, const rl_worker*, void** self, rl_error*) { return *self = shared, 0; };
        ops.fill = [](void* self, rl_request* batch, uint32_t max) {
            auto& me = *static_cast<Table*>(self);
            if (me.allocates && me.out != 0) me.memory = std::make_unique<char[]>(100);
            for (uint32_t i = 0; i < max; ++i) {
                batch[i] = rl_request{};
                batch[i].head = reinterpret_cast<const uint8_t*>(kHead.data());
                batch[i].head_len = kHead.size();
                batch[i].cookie = me.out++;
                batch[i].due_ns = RL_DUE_NONE;
                batch[i].flags = RL_REQUEST_IDEMPOTENT;
            }
            return static_cast<int32_t>(max);
        };
        ops.recycle = [](void* self, const uint64_t*, uint32_t n) { static_cast<Table*>(self)->back += n; };
        ops.responses = [](void* self, const rl_response*, uint32_t n) { static_cast<Table*>(self)->told += n; };
        ops.worker_close = [](void*) {};
    }
    rl_source_ops ops{};
    uint64_t out = 0, back = 0, told = 0;
    bool allocates = false;
    std::unique_ptr<char[]> memory;

  private:
    static constexpr std::string_view kHead = "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n";
};

// As fast as it goes, or a slot every so often.
class Pace {
  public:
    explicit Pace(uint64_t every_ns) : every_(every_ns) {
        ops.size = sizeof ops;
        ops.flags = every_ns == 0 ? uint32_t{RL_PACER_UNLIMITED} : 0;
        ops.worker_open = [](void* shared, const rl_worker*, void** self, rl_error*) { return *self = shared, 0; };
        ops.grant = [](void* self, uint64_t now, uint64_t* due, uint32_t max, uint64_t* next) {
            auto& me = *static_cast<Pace*>(self);
            uint32_t n = 0;
            while (n < max && me.slot_ * me.every_ <= now) due[n++] = me.slot_++ * me.every_;
            *next = me.slot_ * me.every_;
            return static_cast<int32_t>(n);
        };
        ops.scheduled = [](void* self, uint64_t end) { return end / static_cast<Pace*>(self)->every_; };
        ops.worker_close = [](void*) {};
    }
    rl_pacer_ops ops{};

  private:
    uint64_t every_, slot_ = 0;
};

struct Case {
    std::string_view name;
    std::vector<std::string> target;  // options of the target
    engine::RunSpec spec;
    Table::Kind source = Table::Kind::repeated;
    uint64_t every_ns = 0;
    bool listening = true;
    Counter must_count = Counter::responses;  // proof that the case is what its name says
};

engine::RunSpec spec_of(uint64_t requests, uint32_t pipeline = 1) {
    engine::RunSpec spec;
    spec.workers = 1;
    spec.connections = 8;
    spec.requests = requests;
    spec.pipeline = pipeline;
    spec.timeout = 50 * kMillisecond;
    return spec;
}

std::vector<Case> cases() {
    const std::vector<std::string> faults = {"--reset", "0.05", "--garbage", "0.05", "--half", "0.05", "--never", "0.01"};
    std::vector<Case> all;
    all.push_back({.name = "plain", .target = {}, .spec = spec_of(5000)});
    all.push_back({.name = "recycled", .target = {}, .spec = spec_of(5000), .source = Table::Kind::recycled});
    all.push_back({.name = "pipelined", .target = {}, .spec = spec_of(5000, 16), .source = Table::Kind::recycled});
    all.push_back({.name = "target that closes",
                   .target = {"--requests-per-connection", "7"},
                   .spec = spec_of(2000, 4),
                   .source = Table::Kind::recycled,
                   .must_count = Counter::reconnects});
    all.push_back({.name = "connection each", .target = {"--close-per-request"}, .spec = spec_of(1000), .must_count = Counter::reconnects});
    all.push_back({.name = "faults", .target = faults, .spec = spec_of(1500), .must_count = Counter::closed_by_peer});
    all.push_back({.name = "faults behind one another",
                   .target = faults,
                   .spec = spec_of(1500, 4),
                   .source = Table::Kind::recycled,
                   .must_count = Counter::closed_by_peer});
    all.push_back({.name = "large bodies", .target = {"--size", "300000"}, .spec = spec_of(500), .must_count = Counter::bytes_body});
    all.push_back({.name = "chunks", .target = {"--size", "9000", "--chunked=100"}, .spec = spec_of(500)});
    all.push_back({.name = "schedule", .target = {}, .spec = spec_of(500), .every_ns = 100'000, .must_count = Counter::slots_issued});
    all.push_back({.name = "many statuses", .target = {"--status", "200=0.5,404=0.25,503=0.25"}, .spec = spec_of(500)});
    all.push_back({.name = "refused", .target = {}, .spec = spec_of(200), .listening = false, .must_count = Counter::connects_failed});
    all.back().spec.requests = 40;
    engine::RunSpec timed = spec_of(0, 4);
    timed.duration = 200 * kMillisecond;
    all.push_back({.name = "cut off", .target = {"--delay", "3ms"}, .spec = timed, .source = Table::Kind::recycled});
    for (Case& one : all) one.spec.load_model = one.every_ns == 0 ? engine::LoadModel::closed : engine::LoadModel::scheduled;
    return all;
}

// One worker's whole life in this process, which ends with it: 0 if all was well, kAllocTrapExit if the trap sprang.
template <Backend B>
[[noreturn]] void run_and_exit(const Case& one, const engine::Endpoint& endpoint, bool source_allocates = false) {
    Table source(one.source);
    source.allocates = source_allocates;
    Pace pace(one.every_ns);
    std::bitset<1000> success;
    success.set(200);
    const auto stats = std::make_unique<stats::WorkerStats>();
    engine::RunControl control;
    control.phase = engine::kRun;
    WorkerCtx ctx;
    ctx.spec = &one.spec;
    ctx.endpoints = {&endpoint, 1};
    ctx.success = &success;
    ctx.source = &source.ops;
    ctx.source_shared = &source;
    ctx.pacer = &pace.ops;
    ctx.pacer_shared = &pace;
    ctx.stats = stats.get();
    ctx.control = &control;
    rl_error error{};
    error.size = sizeof error;
    control.start_ns = monotonic_ns();
    const int status = engine::run_worker_on<Trapped<B>>(ctx, error);
    uint64_t errors = 0;
    for (size_t i = 0; i < stats::kTransportErrors; ++i) errors += stats->errors(static_cast<stats::TransportError>(i));
    const auto count = [&](Counter which) { return stats->counters.get(which); };
    const bool adds_up = count(Counter::requests) == count(Counter::responses) + errors + count(Counter::abandoned);
    const bool all_back =
        one.source == Table::Kind::repeated || (source.back == source.out && source.told == count(Counter::responses) + errors);
    const bool no_longer_than_the_run = [&] {
        for (const auto& entry : stats->statuses()) {
            if (entry.service->max() > monotonic_ns() - control.start_ns) return false;
        }
        return true;
    }();
    if (status != 0) std::fprintf(stderr, "failed: %s\n", error.message);
    std::fprintf(stderr, "adds up %d, all back %d, no latency longer than the run %d, counted %llu\n", adds_up, all_back,
                 no_longer_than_the_run, static_cast<unsigned long long>(count(one.must_count)));
    ::_exit(status == 0 && adds_up && all_back && no_longer_than_the_run && count(one.must_count) != 0 ? 0 : 1);
}

template <Backend B>
void expect_no_allocation(const std::vector<Case>& all) {
    for (const Case& one : all) {
        SCOPED_TRACE(std::string(B::name()) + ", " + std::string(one.name) + "; exit code " + std::to_string(kAllocTrapExit) +
                     " is an allocation");
        engine::Endpoint endpoint;
        {
            const Served served(one.target);
            ASSERT_TRUE(served.is_up()) << RL_TEST_SERVE;
            endpoint = served.endpoint();
            if (one.listening) {
                EXPECT_EXIT(run_and_exit<B>(one, endpoint), ::testing::ExitedWithCode(0), "");
                continue;
            }
        }
        EXPECT_EXIT(run_and_exit<B>(one, endpoint), ::testing::ExitedWithCode(0), "");
    }
}

TEST(NoAllocation, Epoll) { expect_no_allocation<epoll::EpollBackend>(cases()); }

#ifdef RL_TEST_IO_URING
TEST(NoAllocation, IoUring) {
    {
        uring::IoUringBackend here;
        if (const auto opened = here.open(nullptr, {.connections_max = 1}); !opened) GTEST_SKIP() << opened.error().text;
    }
    expect_no_allocation<uring::IoUringBackend>(cases());
}
#endif

#ifdef RL_TEST_KQUEUE
TEST(NoAllocation, Kqueue) {
#ifdef LIBKQUEUE
    GTEST_SKIP() << "libkqueue keeps what a kernel keeps in this process, and allocates for it";
#endif
    expect_no_allocation<kqueue::KqueueBackend>(cases());
}
#endif

TEST(NoAllocation, Null) {
    const engine::Endpoint nobody = Served::loopback(9);
    for (const uint32_t pipeline : {1u, 16u}) {
        for (const Table::Kind kind : {Table::Kind::repeated, Table::Kind::recycled}) {
            const Case one{.name = "null", .target = {}, .spec = spec_of(200'000, pipeline), .source = kind};
            EXPECT_EXIT(run_and_exit<null::NullBackend>(one, nobody), ::testing::ExitedWithCode(0), "");
        }
    }
}

TEST(NoAllocation, TheTrapSprings) {
    const engine::Endpoint nobody = Served::loopback(9);
    const Case one{.name = "sinner", .target = {}, .spec = spec_of(1000), .source = Table::Kind::recycled};
    EXPECT_EXIT(run_and_exit<null::NullBackend>(one, nobody, true), ::testing::ExitedWithCode(kAllocTrapExit), "");
}

}  // namespace
}  // namespace rl::testing
