// The life of one worker on its own thread: pin, open, barrier, run, close. What a backend module's entry calls, once per worker.
#pragma once

#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>
#include <string>

#include "core/base/cpu.hpp"
#include "core/engine/worker.hpp"
#if defined(RL_TLS)
#include "core/engine/tls_stream.hpp"
#endif

namespace rl::engine {

inline void copy_text(rl_error& error, const std::string& text) noexcept {
    std::snprintf(error.message, sizeof error.message, "%s", text.c_str());
}

// The source's and pacer's halves of a worker, closed in reverse order however far opening came.
class WorkerPlugins {
  public:
    explicit WorkerPlugins(const WorkerCtx& ctx) : ctx_(ctx) {}
    ~WorkerPlugins() {
        if (warmup_pacer_open_) ctx_.pacer->worker_close(warmup_pacer_);
        if (pacer_open_) ctx_.pacer->worker_close(pacer_);
        if (source_open_) ctx_.source->worker_close(source_);
    }
    WorkerPlugins(const WorkerPlugins&) = delete;
    WorkerPlugins& operator=(const WorkerPlugins&) = delete;

    bool open(rl_error& error) noexcept {
        const rl_worker worker{.size = sizeof(rl_worker),
                               .index = ctx_.index,
                               .count = ctx_.spec->workers,
                               .batch_max = RequestRing::kBatch,
                               .seed = ctx_.spec->seed * 0x9e3779b97f4a7c15u + ctx_.index,
                               .start_ns = 0};
        source_open_ = ctx_.source->worker_open(ctx_.source_shared, &worker, &source_, &error) == 0;
        if (!source_open_) return false;
        pacer_open_ = ctx_.pacer->worker_open(ctx_.pacer_shared, &worker, &pacer_, &error) == 0;
        if (!pacer_open_ || !ctx_.spec->has_warmup()) return pacer_open_;
        warmup_pacer_open_ = ctx_.pacer->worker_open(ctx_.pacer_shared, &worker, &warmup_pacer_, &error) == 0;
        return warmup_pacer_open_;
    }
    void* source() const noexcept { return source_; }
    void* pacer() const noexcept { return pacer_; }
    void* warmup_pacer() const noexcept { return warmup_pacer_; }  // a timeline of its own, so that the window's starts at its first slot

  private:
    const WorkerCtx& ctx_;
    void* source_ = nullptr;
    void* pacer_ = nullptr;
    void* warmup_pacer_ = nullptr;
    bool source_open_ = false, pacer_open_ = false, warmup_pacer_open_ = false;
};

// 0, or non-zero with the reason. A worker that fails before the barrier still counts itself there, so that nobody waits for it.
template <Backend B, class Stream>
int run_worker_with(WorkerCtx& ctx, rl_error& error) noexcept {
    int status = 1;
    try {
        // A processor that went away since it was chosen leaves the thread where it was; the report names the plan.
        if (ctx.cpu >= 0) (void)pin_this_thread(static_cast<unsigned>(ctx.cpu)).has_value();
        WorkerPlugins plugins(ctx);  // outlives the backend, which may still read the octets of requests while it is taken down
        const auto worker = std::make_unique<Worker<B, Stream>>(ctx);
        if (const Result<void> opened = worker->open(); !opened) {
            copy_text(error, opened.error().text);
        } else if (plugins.open(error)) {
            ctx.facts.backend = B::name();
            ctx.facts.switches = worker->backend().switches();
            if constexpr (Stream::kSecure) ctx.facts.switches += ", " + Stream::name();
            worker->attach(plugins.source(), plugins.pacer(), plugins.warmup_pacer());
            const bool go = meet_at_barrier(*ctx.control, kPrepare);
            if (!go || worker->run()) {
                status = 0;
            } else {
                copy_text(error, worker->fault());
                ctx.control->broken.store(true, std::memory_order_relaxed);  // ORDER: a hint to stop the others
            }
            count_up(ctx.control->finished);
            return status;
        }
    } catch (const std::bad_alloc&) {
        copy_text(error, "out of memory while a worker was set up; lower --connections");
    }
    ctx.stop = StopReason::failed;
    ctx.control->broken.store(true, std::memory_order_relaxed);  // ORDER: released by ready below
    count_up(ctx.control->ready);
    count_up(ctx.control->finished);
    return status;
}

// With what the run asks for between backend and parser.
template <Backend B>
int run_worker_on(WorkerCtx& ctx, rl_error& error) noexcept {
#if defined(RL_TLS)
    if (ctx.spec->secure) {
        prepare_once(*ctx.control, tls::prepare_library);
        return run_worker_with<B, TlsStream>(ctx, error);
    }
#endif
    return run_worker_with<B, PlainStream>(ctx, error);
}

}  // namespace rl::engine
