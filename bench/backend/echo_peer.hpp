// The other side of the echo bench: a thread that sends back whatever it receives, pinned away from the backend under test.
//
// It never sleeps, so that waking it up is no part of what the backend pays. Constructed, used and destroyed by one thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

#include "core/engine/endpoint.hpp"

namespace rl::bench {

// A listener on a free port of the loopback device, and where it is to be reached. Exits the program if there is none to be had.
int listen_on_loopback(engine::Endpoint& endpoint);

class EchoPeer {
  public:
    // Listens on a free loopback port. cpu: where its thread runs; -1: anywhere. Exits the program if there is no socket to be had.
    explicit EchoPeer(int cpu);
    ~EchoPeer();
    EchoPeer(const EchoPeer&) = delete;
    EchoPeer& operator=(const EchoPeer&) = delete;

    const engine::Endpoint& endpoint() const { return endpoint_; }

  private:
    void serve(int cpu) noexcept;
    void echo(int fd) noexcept;

    int listener_ = -1, poller_ = -1;
    uint32_t open_ = 0;  // accepted and not closed; of the echoing thread
    engine::Endpoint endpoint_;
    std::atomic<bool> stop_{false};  // ORDER: relaxed; nothing is read through it
    std::thread thread_;
};

}  // namespace rl::bench
