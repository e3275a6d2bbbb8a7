// Backend against backend: what does one message, sent and received again, cost each of them?
//
// One template over the seam. N connections to an echoing thread on another CPU, each with `depth` messages of `size` octets under way;
// a message that is back goes out again. No engine, no parsing. Reported per message: time, CPU time, system calls. The switches of
// io_uring are variants at 100 connections; further ones can be given on the command line as --io_uring.NAME=VALUE.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "backends/epoll/backend.hpp"
#include "backends/io_uring/backend.hpp"
#include "backends/io_uring/options.hpp"
#include "bench/backend/echo_peer.hpp"
#include "core/base/clock.hpp"
#include "core/base/cpu.hpp"
#include "core/module/option_binding.hpp"

namespace rl::bench {
namespace {

constexpr uint64_t kBatch = 256;  // messages of one iteration
constexpr uint64_t kPatience = 10'000'000'000;

struct Shape {
    uint32_t connections, size, depth;
};

// Sends again what came back. Lives on the bench's thread, like the backend that it drives.
template <class B>
class EchoSink {
  public:
    EchoSink(B& backend, Shape shape)
        : backend_(backend), shape_(shape), octets_(size_t{shape.size} * shape.depth, 'e'), have_(shape.connections) {}

    void on_wake() noexcept {}
    void on_open(engine::ConnId id, engine::IoError error) noexcept {
        if (error != engine::IoError::none) {
            broken_ = true;
            return;
        }
        ++open_;
        send(id, shape_.depth);
    }
    engine::Keep on_bytes(engine::ConnId id, std::span<const char> octets, engine::BufferToken) noexcept {
        count(id, octets.size());
        return engine::Keep::release;
    }
    void on_skipped(engine::ConnId id, uint64_t octets) noexcept { count(id, octets); }
    void on_sent(engine::ConnId, uint32_t) noexcept {}
    void on_closed(engine::ConnId, engine::IoError error) noexcept {
        --open_;
        broken_ = broken_ || error != engine::IoError::none;
    }

    uint64_t messages() const { return messages_; }
    uint32_t open() const { return open_; }
    bool broken() const { return broken_; }

  private:
    void count(engine::ConnId id, uint64_t octets) noexcept {
        uint64_t& have = have_[id.slot];
        have += octets;
        const uint64_t whole = have / shape_.size;
        have -= whole * shape_.size;
        messages_ += whole;
        if (whole > 0) send(id, static_cast<uint32_t>(whole));
    }
    // The octets never change; small ones are settled, which is how the engine sends its requests.
    void send(engine::ConnId id, uint32_t messages) noexcept {
        backend_.send(id, {.head = reinterpret_cast<const uint8_t*>(octets_.data()),
                           .head_len = shape_.size * messages,
                           .settled = octets_.size() <= engine::kSettledBytes});
    }

    B& backend_;
    Shape shape_;
    std::string octets_;
    std::vector<uint64_t> have_;
    uint64_t messages_ = 0;
    uint32_t open_ = 0;
    bool broken_ = false;
};

struct Cpus {
    int bench = -1, peer = -1;
};
Cpus choose_cpus() {
    const std::vector<Cpu> allowed = allowed_cpus();
    if (allowed.size() < 2) return {};
    return {static_cast<int>(allowed[0].id), static_cast<int>(allowed[1].id)};
}

// Polls until `done`, or until that takes unreasonably long. False: the backend or a connection broke.
template <class B, class Done>
bool poll_until(B& backend, EchoSink<B>& sink, Done done) {
    const uint64_t limit = backend.now() + kPatience;
    while (!done()) {
        const uint64_t now = backend.now();
        if (sink.broken() || now > limit) return false;
        if (backend.poll(sink, {.deadline_ns = now + 100'000'000, .spin_ns = 100'000}).broken) return false;
    }
    return true;
}

template <class B>
void echo(benchmark::State& state, Shape shape, const rl_value* values) {
    const Cpus cpus = choose_cpus();
    if (cpus.bench >= 0) (void)pin_this_thread(static_cast<unsigned>(cpus.bench)).has_value();
    EchoPeer peer(cpus.peer);
    const auto backend = std::make_unique<B>();
    if (const Result<void> opened = backend->open(values, {.connections_max = shape.connections, .pipeline_depth = shape.depth}); !opened) {
        state.SkipWithError(opened.error().text.c_str());
        return;
    }
    EchoSink<B> sink(*backend, shape);
    for (uint32_t slot = 0; slot < shape.connections; ++slot) backend->connect({slot, 1}, peer.endpoint());
    if (!poll_until(*backend, sink, [&] { return sink.open() == shape.connections; })) {
        state.SkipWithError("not every connection was opened");
        return;
    }
    const uint64_t messages = sink.messages(), syscalls = backend->counters().syscalls, cpu_ns = thread_cpu_ns();
    uint64_t goal = messages;
    for (auto _ : state) {
        goal += kBatch;
        if (!poll_until(*backend, sink, [&] { return sink.messages() >= goal; })) {
            state.SkipWithError("a connection broke or fell silent");
            break;
        }
    }
    const auto done = static_cast<double>(sink.messages() - messages);
    state.SetItemsProcessed(static_cast<int64_t>(sink.messages() - messages));
    state.SetBytesProcessed(static_cast<int64_t>(sink.messages() - messages) * shape.size);
    state.counters["cpu_us"] = static_cast<double>(thread_cpu_ns() - cpu_ns) / 1e3 / done;
    state.counters["syscalls"] = static_cast<double>(backend->counters().syscalls - syscalls) / done;
    state.SetLabel(backend->switches());
    backend->drain(sink, backend->now() + 1'000'000'000);
    if (sink.open() != 0) state.SkipWithError("connections were left when everything was closed");
}

template <class B>
void add(const std::string& name, Shape shape, const rl_value* values) {
    const std::string title =
        name + "/" + std::to_string(shape.connections) + "/" + std::to_string(shape.size) + "/" + std::to_string(shape.depth);
    benchmark::RegisterBenchmark(title.c_str(), [shape, values](benchmark::State& state) { echo<B>(state, shape, values); })
        ->UseRealTime()
        ->Unit(benchmark::kMicrosecond);
}

constexpr Shape kShapes[] = {{1, 150, 1}, {10, 150, 1}, {100, 150, 1}, {1000, 150, 1}, {10, 150, 16}, {100, 150, 16}, {10, 16384, 1}};
constexpr std::string_view kVariants[] = {
    "taskrun=coop",    "taskrun=none",     "receive=single",     "buffers=fixed",         "buffer_size=4096",
    "buffer_count=64", "poll_first=false", "skip_success=false", "registered_ring=false", "submit_every=8",
};

// Values for options given as "NAME=VALUE"; `all` keeps them until the benches are over.
const rl_value* bind(const std::vector<std::string_view>& given, std::vector<module::BoundOptions>& all) {
    std::vector<engine::OptionValue> options;
    for (const std::string_view one : given) {
        const size_t equals = one.find('=');
        options.push_back(
            {"io_uring", std::string(one.substr(0, equals)), equals == one.npos ? "true" : std::string(one.substr(equals + 1))});
    }
    auto bound = module::bind_options({.owner = "io_uring", .first = uring::kOptionTable, .count = uring::kOptionCount}, options);
    if (!bound) {
        std::fprintf(stderr, "echo_bench: %s\n", bound.error().text.c_str());
        std::exit(2);
    }
    all.push_back(std::move(*bound));
    return all.back().data();
}

}  // namespace
}  // namespace rl::bench

int main(int argc, char** argv) {
    using namespace rl::bench;
    constexpr std::string_view prefix = "--io_uring.";
    benchmark::Initialize(&argc, argv);
    std::vector<rl::module::BoundOptions> all;
    for (const Shape shape : kShapes) {
        add<rl::epoll::EpollBackend>("epoll", shape, nullptr);
        add<rl::uring::IoUringBackend>("io_uring", shape, nullptr);
    }
    for (const std::string_view variant : kVariants) {
        add<rl::uring::IoUringBackend>("io_uring " + std::string(variant), {100, 150, 1}, bind({variant}, all));
    }
    std::vector<std::string_view> given;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        if (!word.starts_with(prefix)) {
            std::fprintf(stderr, "echo_bench: %s: not understood; options of the backend are written --io_uring.NAME=VALUE\n", argv[i]);
            return 2;
        }
        given.push_back(word.substr(prefix.size()));
    }
    const rl_value* values = given.empty() ? nullptr : bind(given, all);
    for (size_t i = 0; values != nullptr && i < std::size(kShapes); ++i)
        add<rl::uring::IoUringBackend>("io_uring as given", kShapes[i], values);
    benchmark::RunSpecifiedBenchmarks();
    benchmark::Shutdown();
    return 0;
}
