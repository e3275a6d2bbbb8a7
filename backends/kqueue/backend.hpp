// The kqueue backend: the poller of this folder under readiness_io. For FreeBSD and macOS; on Linux for tests.
#pragma once

#include <string>

#include "backends/common/readiness_io.hpp"
#include "backends/kqueue/poller.hpp"

namespace rl::kqueue {

class KqueueBackend : public backends::ReadinessIo<KqueuePoller> {
  public:
    static const char* name() { return "kqueue"; }
    Result<void> open(const rl_value*, const engine::WorkerEnv& env) { return ReadinessIo::open(env); }
    static std::string description() { return std::string("clear state, changes ride on the wait, gathered writes, ") + kProvider; }
    std::string switches() const { return description(); }
};

}  // namespace rl::kqueue
