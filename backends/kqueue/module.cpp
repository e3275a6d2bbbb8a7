// Entry of the kqueue module: the only place that instantiates the worker on it.
#include <cstdio>

#include "backends/common/module_entry.hpp"
#include "backends/kqueue/backend.hpp"
#include "core/engine/run_worker.hpp"

namespace {

static_assert(rl::engine::Backend<rl::kqueue::KqueueBackend>);

int probe(const rl_value*, rl_backend_caps* caps, rl_error* error) {
    rl::Arena arena;
    rl::kqueue::KqueuePoller poller;
    if (const auto opened = poller.open(arena, 1); !opened) {
        rl::engine::copy_text(*error, opened.error().text);
        return 1;
    }
    std::snprintf(caps->switches, sizeof caps->switches, "%s", rl::kqueue::KqueueBackend::description().c_str());
    return 0;
}

int run_worker(WorkerCtx* ctx, rl_error* error) { return rl::engine::run_worker_on<rl::kqueue::KqueueBackend>(*ctx, *error); }

constexpr rl_backend_module kModule = {
    .magic = RL_BACKEND_MAGIC,
    .size = sizeof(rl_backend_module),
    .build_id = RL_BUILD_ID,
    .name = "kqueue",
    .summary = rl::kqueue::kNative ? "readiness, changes and events in one call" : "emulated kqueue, for tests of the BSD backend",
    .priority = rl::kqueue::kNative ? 20 : -1,
    .option_count = 0,
    .options = nullptr,
    .probe = probe,
    .run_worker = run_worker,
};

}  // namespace

RL_BACKEND_ENTRY(kqueue, kModule)
