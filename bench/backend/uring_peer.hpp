// The other side of the comparison of backends: a thread that answers as many octets as it receives, pinned away from the contenders.
//
// It has to be quicker than all of them, or they would be measured waiting for it; so it speaks io_uring in the shortest way there is,
// never sleeps, and sends octets of its own instead of those that came. Constructed, used and destroyed by one thread.
#pragma once

#include <atomic>
#include <string>
#include <thread>

#include "bench/backend/echo_peer.hpp"
#include "core/engine/endpoint.hpp"

namespace rl::bench {

class UringPeer {
  public:
    // Listens on a free loopback port. cpu: where its thread runs; -1: anywhere. Exits the program if there is no socket to be had.
    explicit UringPeer(int cpu);
    ~UringPeer();
    UringPeer(const UringPeer&) = delete;
    UringPeer& operator=(const UringPeer&) = delete;

    const engine::Endpoint& endpoint() const { return endpoint_; }

  private:
    class Loop;
    void serve(int cpu);

    int listener_ = -1;
    engine::Endpoint endpoint_;
    std::atomic<bool> stop_{false};  // ORDER: relaxed; nothing is read through it
    std::thread thread_;
};

}  // namespace rl::bench
