// Pacer unlimited: a request goes out whenever a connection is free. Its flag says everything; the engine never asks.
#include "ringload/plugin.hpp"

namespace {

struct Unlimited : rl::Pacer {
    static constexpr rl::Info info{"unlimited", RL_PLUGIN_VERSION, "as fast as connections become free", "MIT OR Apache-2.0"};
    static constexpr uint32_t flags = RL_PACER_UNLIMITED;
    explicit Unlimited(const rl::Open<Unlimited>& /*open*/) {}
    struct Worker {
        Worker(Unlimited& /*shared*/, const rl_worker& /*worker*/) {}
    };
};

}  // namespace

RL_PLUGIN_EXPORT(Unlimited)
