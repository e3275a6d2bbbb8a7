// Entry of the epoll module: the only place that instantiates the worker on it.
#include "backends/common/module_entry.hpp"
#include "backends/epoll/backend.hpp"
#include "core/engine/run_worker.hpp"

namespace {

static_assert(rl::engine::Backend<rl::epoll::EpollBackend>);

int probe(const rl_value*, rl_backend_caps* caps, rl_error* error) {
    rl::Arena arena;
    rl::epoll::EpollPoller poller;
    if (const auto opened = poller.open(arena, 1); !opened) {
        rl::engine::copy_text(*error, opened.error().text);
        return 1;
    }
    std::snprintf(caps->switches, sizeof caps->switches, "edge-triggered, gathered writes");
    return 0;
}

int run_worker(WorkerCtx* ctx, rl_error* error) { return rl::engine::run_worker_on<rl::epoll::EpollBackend>(*ctx, *error); }

constexpr rl_backend_module kModule = {
    .magic = RL_BACKEND_MAGIC,
    .size = sizeof(rl_backend_module),
    .build_id = RL_BUILD_ID,
    .name = "epoll",
    .summary = "readiness, edge-triggered: works on every Linux",
    .priority = 10,
    .option_count = 0,
    .options = nullptr,
    .probe = probe,
    .run_worker = run_worker,
};

}  // namespace

RL_BACKEND_ENTRY(epoll, kModule)
