// SimBackend: the seam over the simulated network. Tests only.
//
// One thread. The network is the test's: it is handed over as the backend's one option value (network_value) and outlives the backend.
#pragma once

#include <cstdint>
#include <string>

#include "backends/sim/network.hpp"
#include "core/engine/backend_concept.hpp"
#include "ringload/plugin.h"

namespace rl::sim {

// The option values with which a worker opens a SimBackend on this network.
inline rl_value network_value(Network& network) noexcept {
    rl_value value{};
    value.type = RL_OPTION_U64;
    value.is_set = 1;
    value.v.u = reinterpret_cast<uintptr_t>(&network);
    return value;
}

class SimBackend {
  public:
    static const char* name() noexcept { return "sim"; }

    Result<void> open(const rl_value* values, const engine::WorkerEnv& env) {
        network_ = reinterpret_cast<Network*>(static_cast<uintptr_t>(values[0].v.u));
        network_->open(env);
        return {};
    }
    void connect(ConnId id, const Endpoint& endpoint) noexcept { network_->connect(id, endpoint); }
    void send(ConnId id, engine::SendRef ref) noexcept { network_->send(id, ref); }
    void skip(ConnId id, uint64_t octets) noexcept { network_->skip(id, octets); }
    void close(ConnId id) noexcept { network_->close(id); }
    void release(BufferToken token) noexcept { network_->release(token); }

    template <class Sink>
    engine::PollResult poll(Sink& sink, const engine::WaitSpec& wait) noexcept {
        network_->submit();
        const Network::Waited waited = network_->wait(wait);
        engine::PollResult result;
        result.slept = waited.slept;
        result.broken = waited.beyond_limit;
        network_->counters().syscalls += 1;
        sink.on_wake();
        Delivery delivery;
        while (network_->take(delivery)) {
            ++result.events;
            deliver(sink, delivery);
        }
        return result;
    }

    template <class Sink>
    void drain(Sink& sink, uint64_t deadline_ns) noexcept {
        network_->close_all();
        while (network_->live() > 0 && network_->now() < deadline_ns) {
            if (poll(sink, {.deadline_ns = deadline_ns}).broken) return;
        }
    }

    uint64_t now() const noexcept { return network_->now(); }
    std::string switches() const { return "virtual time"; }
    std::string error() const { return "the virtual clock has passed its limit: the run does not end"; }
    const engine::BackendCounters& counters() const noexcept { return network_->counters(); }

  private:
    template <class Sink>
    void deliver(Sink& sink, const Delivery& d) noexcept {
        switch (d.kind) {
            case Delivery::Kind::open:
                return sink.on_open(d.id, d.error);
            case Delivery::Kind::skipped:
                return sink.on_skipped(d.id, d.count);
            case Delivery::Kind::sent:
                return sink.on_sent(d.id, static_cast<uint32_t>(d.count));
            case Delivery::Kind::closed:
                return sink.on_closed(d.id, d.error);
            case Delivery::Kind::bytes:
                if (sink.on_bytes(d.id, d.octets, d.token) == engine::Keep::release) network_->release(d.token);
        }
    }

    Network* network_ = nullptr;
};

static_assert(engine::Backend<SimBackend>);

}  // namespace rl::sim
