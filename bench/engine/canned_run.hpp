// A worker's surroundings without a program around it: one GET that never changes, no pace, a start that has already been given.
//
// Everything is owned by CannedRun and used on the calling thread, which becomes the worker's.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/clock.hpp"
#include "core/engine/run_worker.hpp"

namespace rl::bench {

inline constexpr std::string_view kRequest = "GET / HTTP/1.1\r\nHost: 127.0.0.1:8080\r\n\r\n";

// STATIC: the engine asks once and repeats what it was given. The copies lie one behind the other, so that neighbours leave as one send.
struct CannedSource {
    CannedSource() {
        for (uint32_t i = 0; i < engine::RequestRing::kBatch; ++i) octets += kRequest;
    }
    static int worker_open(void* shared, const rl_worker*, void** self, rl_error*) {
        *self = shared;
        return 0;
    }
    static int32_t fill(void* self, rl_request* out, uint32_t max) {
        const auto* source = static_cast<const CannedSource*>(self);
        for (uint32_t i = 0; i < max; ++i) {
            out[i] = rl_request{};
            out[i].head = reinterpret_cast<const uint8_t*>(source->octets.data()) + size_t{i} * kRequest.size();
            out[i].head_len = static_cast<uint32_t>(kRequest.size());
            out[i].due_ns = RL_DUE_NONE;
            out[i].flags = RL_REQUEST_IDEMPOTENT;
        }
        return static_cast<int32_t>(max);
    }
    static void worker_close(void*) {}

    std::string octets;
};

class CannedRun {
  public:
    CannedRun(uint32_t connections, uint32_t pipeline, uint64_t requests) {
        source_ops_.size = sizeof source_ops_;
        source_ops_.flags = RL_SOURCE_STATIC;
        source_ops_.worker_open = CannedSource::worker_open;
        source_ops_.fill = CannedSource::fill;
        source_ops_.worker_close = CannedSource::worker_close;
        pacer_ops_.size = sizeof pacer_ops_;
        pacer_ops_.flags = RL_PACER_UNLIMITED;
        pacer_ops_.worker_open = [](void*, const rl_worker*, void**, rl_error*) { return 0; };
        pacer_ops_.worker_close = [](void*) {};
        for (size_t status = 200; status < 300; ++status) success_.set(status);
        spec_.workers = 1;
        spec_.connections = connections;
        spec_.pipeline = pipeline;
        spec_.requests = requests;
        ctx_.spec = &spec_;
        ctx_.endpoints = endpoints_;
        ctx_.success = &success_;
        ctx_.source = &source_ops_;
        ctx_.source_shared = &source_;
        ctx_.pacer = &pacer_ops_;
        ctx_.stats = stats_.get();
        ctx_.control = &control_;
        error_.size = sizeof error_;
    }
    CannedRun(const CannedRun&) = delete;
    CannedRun& operator=(const CannedRun&) = delete;

    // The whole life of one worker. nullptr, or the reason why it could not go on.
    template <engine::Backend B>
    const char* run() {
        start_ns_ = monotonic_ns();
        control_.start_ns.store(start_ns_, std::memory_order_relaxed);  // ORDER: one thread
        control_.phase.store(engine::kRun, std::memory_order_relaxed);  // ORDER: one thread
        return engine::run_worker_on<B>(ctx_, error_) == 0 ? nullptr : error_.message;
    }

    const engine::WorkerFacts& facts() const { return ctx_.facts; }
    uint64_t answers() const { return ctx_.stats->counters.get(stats::Counter::responses); }

  private:
    engine::RunSpec spec_;
    CannedSource source_;
    rl_source_ops source_ops_{};
    rl_pacer_ops pacer_ops_{};
    std::bitset<1000> success_;
    std::array<engine::Endpoint, 1> endpoints_{};
    std::unique_ptr<stats::WorkerStats> stats_ = std::make_unique<stats::WorkerStats>();
    engine::RunControl control_;
    WorkerCtx ctx_;
    rl_error error_{};
    uint64_t start_ns_ = 0;
};

}  // namespace rl::bench
