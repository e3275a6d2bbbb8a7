// Entry of the io_uring module: the only place that instantiates the worker on it.
#include <cstdio>

#include "backends/common/module_entry.hpp"
#include "backends/io_uring/backend.hpp"
#include "core/engine/run_worker.hpp"

namespace {

static_assert(rl::engine::Backend<rl::uring::IoUringBackend>);

int probe(const rl_value* values, rl_backend_caps* caps, rl_error* error) {
    rl::uring::SubmissionRing ring;
    rl::uring::BufferRing buffers;
    const rl::uring::Options options = rl::uring::Options::from(values);
    const auto found = rl::uring::open_best(options, 1, ring, buffers);
    if (!found) {
        rl::engine::copy_text(*error, found.error().text);
        return 1;
    }
    std::snprintf(caps->switches, sizeof caps->switches, "%s", found->switches().c_str());
    caps->batched_wait = 1;
    // WHY: 1.5 times the CPU of epoll at 10 connections, as much as epoll at 1000 (bench/backend/compare_backends, 2026-11).
    if (!found->defer && !found->coop) {
        std::snprintf(caps->second_choice, sizeof caps->second_choice,
                      "it works, but without COOP_TASKRUN (Linux 5.19) every completion interrupts the worker, and epoll costs less");
    }
    std::snprintf(caps->downgrade, sizeof caps->downgrade, "%s", found->downgrade.c_str());
    if (caps->features[0] == '\0') return 0;
    std::snprintf(caps->features, sizeof caps->features, "%s", rl::uring::list_features(options, *found, ring).c_str());
    return 0;
}

int run_worker(WorkerCtx* ctx, rl_error* error) { return rl::engine::run_worker_on<rl::uring::IoUringBackend>(*ctx, *error); }

constexpr rl_backend_module kModule = {
    .magic = RL_BACKEND_MAGIC,
    .size = sizeof(rl_backend_module),
    .build_id = RL_BUILD_ID,
    .name = "io_uring",
    .summary = "completions: the fastest on Linux 6.0 and later",
    .priority = 100,
    .option_count = rl::uring::kOptionCount,
    .options = rl::uring::kOptionTable,
    .probe = probe,
    .run_worker = run_worker,
};

}  // namespace

RL_BACKEND_ENTRY(io_uring, kModule)
