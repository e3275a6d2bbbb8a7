// The iocp backend: how poll() waits. Included by backend.hpp alone.
#pragma once

#include "backends/iocp/backend.hpp"

namespace rl::iocp {

// HOT. False: the port is broken.
inline bool IocpBackend::wait_for_events(const engine::WaitSpec& wait, engine::PollResult& result) noexcept {
    uint64_t now = clock_.follow_and_now();
    if (wait.min_events == 0 || now >= wait.deadline_ns) return port_.look();
    if (wait.spin_ns != 0) {
        if (!spin(wait, now)) return false;
        if (port_.count() != 0 || now >= wait.deadline_ns) return true;
    }
    result.slept = true;
    return sleep(wait, now);
}

// Looks for completions until there are some, or the spinning time or the deadline is over.
inline bool IocpBackend::spin(const engine::WaitSpec& wait, uint64_t& now) noexcept {
    const uint64_t spin_end = std::min(wait.deadline_ns, wait.spin_ns > UINT64_MAX - now ? UINT64_MAX : now + wait.spin_ns);
    do {
        if (!port_.look()) return false;
        if (port_.count() != 0) return true;
        now = clock_.now();
    } while (now < spin_end);
    return true;
}

// The port itself knows no smallest number, so a window is a wait for each batch that comes within it.
inline bool IocpBackend::sleep(const engine::WaitSpec& wait, uint64_t now) noexcept {
    const uint32_t wanted = std::min(wait.min_events, Port::kBatch);
    const uint64_t left = wait.deadline_ns - now;
    const uint64_t window_end = wanted > 1 ? now + std::min(wait.batch_window_ns, left) : now;
    do {
        const bool some = port_.count() != 0;
        if (!port_.sleep(now, some ? window_end : wait.deadline_ns)) return false;
        now = clock_.now();
        if (port_.count() >= wanted || (port_.count() != 0 && now >= window_end)) return true;
    } while (now < wait.deadline_ns);
    return true;
}

}  // namespace rl::iocp
