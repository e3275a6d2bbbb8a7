// Entry of the iocp module: the only place that instantiates the worker on it.
#include <cstdio>

#include "backends/common/module_entry.hpp"
#include "backends/iocp/backend.hpp"
#include "core/engine/run_worker.hpp"

namespace {

static_assert(rl::engine::Backend<rl::iocp::IocpBackend>);

int probe(const rl_value* values, rl_backend_caps* caps, rl_error* error) {
    rl::iocp::IocpBackend backend;
    if (const auto opened = backend.open(values, {.connections_max = 1}); !opened) {
        rl::engine::copy_text(*error, opened.error().text);
        return 1;
    }
    std::snprintf(caps->switches, sizeof caps->switches, "%s", backend.switches().c_str());
    caps->batched_wait = 1;
    std::snprintf(caps->downgrade, sizeof caps->downgrade, "%s", backend.downgrade().c_str());
    return 0;
}

int run_worker(WorkerCtx* ctx, rl_error* error) { return rl::engine::run_worker_on<rl::iocp::IocpBackend>(*ctx, *error); }

constexpr rl_backend_module kModule = {
    .magic = RL_BACKEND_MAGIC,
    .size = sizeof(rl_backend_module),
    .build_id = RL_BUILD_ID,
    .name = "iocp",
    .summary = "completions: the one for Windows 10 and later",
    .priority = 100,
    .option_count = rl::iocp::kOptionCount,
    .options = rl::iocp::kOptionTable,
    .probe = probe,
    .run_worker = run_worker,
};

}  // namespace

RL_BACKEND_ENTRY(iocp, kModule)
