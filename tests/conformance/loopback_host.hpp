// Plays scripts over real sockets on the loopback device, in a thread of its own that shares no code with any backend.
//
// Its loop is a plain level-triggered one with non-blocking sockets, so that ten thousand connections need one thread. The test thread
// calls listen(), reports() and the others; a mutex lies between them and the loop.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <vector>

#include "backends/sim/faults.hpp"
#include "core/base/addresses.hpp"
#include "tests/conformance/peer_poller.hpp"
#include "tests/conformance/script.hpp"

namespace rl::conformance {

class LoopbackHost final : public PeerHost {
  public:
    LoopbackHost();
    ~LoopbackHost() override;

    bool has(Family family) override;
    engine::Endpoint listen(const Script& script, Family family) override;
    engine::Endpoint refusing() override;
    engine::Endpoint silent() override;
    std::vector<PeerReport> reports() override;
    bool starve_descriptors(bool on) override;

  private:
    struct Listener {
        Socket socket;
        Script script;
    };
    struct Conn {
        Socket socket = kNoSocket;
        const Script* script = nullptr;
        size_t step = 0;
        uint64_t done = 0, written = 0;
        uint64_t wake_ns = 0;  // pausing until then
        Interest interest = Interest::none;
        PeerReport* report = nullptr;
    };
    enum class Outcome : uint8_t { step_over, blocked_read, blocked_write, paused, gone };

    void loop();
    void accept_all(const Listener& listener);
    void advance(Conn& conn);
    Outcome run_step(Conn& conn);
    Outcome run_send(Conn& conn, const Step& step);
    Outcome run_read(Conn& conn, const Step& step);
    Outcome pause(Conn& conn, uint64_t ns);
    void watch(Conn& conn, Interest interest);
    void drop(Conn& conn);

    SocketLibrary library_;
    std::mutex mutex_;
    PeerPoller poller_;
    std::atomic<bool> stop_ = false;
    std::deque<Listener> listeners_;
    std::unordered_map<Socket, Conn> conns_;
    std::multimap<uint64_t, Socket> timers_;  // by instant
    std::deque<PeerReport> reports_;
    std::vector<Socket> silent_;       // sockets that are only held open
    uint64_t descriptors_before_ = 0;  // soft limit to go back to
    sim::Random random_{7};
    std::thread thread_;
};

}  // namespace rl::conformance
