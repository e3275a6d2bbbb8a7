// What does one request cost the engine to get from its source, by size of the batch that it asks for?
//
// The shipped source static_url, compiled in and called through its C table as the engine calls it.
#include <benchmark/benchmark.h>

#include <array>
#include <string_view>

#include "core/module/host_table.hpp"
#include "ringload/plugin.h"

namespace rl::bench {
namespace {

rl_bytes bytes_of(std::string_view text) { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

// A source with one worker, opened and closed through its table.
class OpenSource {
  public:
    OpenSource() : host_("fill_bench"), ops_(static_cast<const rl_source_ops*>(ringload_plugin_v1(0)->ops)) {
        rl_request_template request{};
        request.size = sizeof request;
        request.method = bytes_of("GET");
        request.target = bytes_of("/");
        request.authority = bytes_of("127.0.0.1:8080");
        rl_open open{};
        open.size = sizeof open;
        open.worker_count = 1;
        open.host = host_.get();
        open.pipeline_depth = 1;
        open.request = &request;
        rl_worker worker{};
        worker.size = sizeof worker;
        worker.count = 1;
        worker.batch_max = kBatchMost;
        rl_error error{};
        error.size = sizeof error;
        shared_open_ = ops_->open(&open, &shared_, &error) == 0;
        worker_open_ = shared_open_ && ops_->worker_open(shared_, &worker, &self_, &error) == 0;
    }
    ~OpenSource() {
        if (worker_open_) ops_->worker_close(self_);
        if (shared_open_) ops_->close(shared_);
    }
    OpenSource(const OpenSource&) = delete;
    OpenSource& operator=(const OpenSource&) = delete;

    static constexpr uint32_t kBatchMost = 256;
    bool ready() const { return worker_open_; }
    int32_t fill(rl_request* out, uint32_t max) { return ops_->fill(self_, out, max); }

  private:
    module::HostTable host_;
    const rl_source_ops* ops_;
    void* shared_ = nullptr;
    void* self_ = nullptr;
    bool shared_open_ = false, worker_open_ = false;
};

void fill(benchmark::State& state) {
    OpenSource source;
    if (!source.ready()) {
        state.SkipWithError("the source could not be opened");
        return;
    }
    const auto batch = static_cast<uint32_t>(state.range(0));
    std::array<rl_request, OpenSource::kBatchMost> requests;
    uint64_t filled = 0, octets = 0;
    for (auto _ : state) {
        const int32_t n = source.fill(requests.data(), batch);
        if (n <= 0) {
            state.SkipWithError("the source gave nothing");
            return;
        }
        octets += requests[static_cast<size_t>(n) - 1].head_len;
        filled += static_cast<uint64_t>(n);
        benchmark::ClobberMemory();
    }
    if (octets == 0) state.SkipWithError("the requests were empty");
    state.SetItemsProcessed(static_cast<int64_t>(filled));
    state.counters["per_request"] =
        benchmark::Counter(static_cast<double>(filled), benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(fill)->ArgName("batch")->RangeMultiplier(4)->Range(1, OpenSource::kBatchMost);

}  // namespace
}  // namespace rl::bench

BENCHMARK_MAIN();
