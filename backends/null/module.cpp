// Entry of the null module. Chosen by name alone: it measures the engine, not a target.
#include <cstdio>

#include "backends/common/module_entry.hpp"
#include "backends/null/backend.hpp"
#include "core/engine/run_worker.hpp"

namespace {

static_assert(rl::engine::Backend<rl::null::NullBackend>);

int probe(const rl_value*, rl_backend_caps* caps, rl_error*) {
    std::snprintf(caps->switches, sizeof caps->switches, "answers from memory");
    return 0;
}

int run_worker(WorkerCtx* ctx, rl_error* error) { return rl::engine::run_worker_on<rl::null::NullBackend>(*ctx, *error); }

constexpr rl_backend_module kModule = {
    .magic = RL_BACKEND_MAGIC,
    .size = sizeof(rl_backend_module),
    .build_id = RL_BUILD_ID,
    .name = "null",
    .summary = "answers from memory: the ceiling of the engine, for benches",
    .priority = -1,
    .option_count = 0,
    .options = nullptr,
    .probe = probe,
    .run_worker = run_worker,
};

}  // namespace

RL_BACKEND_ENTRY(null, kModule)
