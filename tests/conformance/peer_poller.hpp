// Tells the loop of the peers which of their sockets are ready. Level-triggered and simple: epoll where there is that, else poll().
//
// watch() and wake() from any thread, the rest from the thread of the loop.
#pragma once

#include <cstdint>
#include <vector>

#if !defined(__linux__)
#include <mutex>
#include <unordered_map>
#endif

#include "tests/conformance/peer_sockets.hpp"

namespace rl::conformance {

enum class Interest : uint8_t { none, read, write };

class PeerPoller {
  public:
    PeerPoller();
    ~PeerPoller();
    PeerPoller(const PeerPoller&) = delete;
    PeerPoller& operator=(const PeerPoller&) = delete;

    // The socket is known from now on, or is waited for in another way.
    void watch(Socket socket, Interest interest);
    // Before it is closed.
    void forget(Socket socket);
    // Ends the wait that is under way, or the next one.
    void wake();
    // Sockets that are ready, an error or the end counting as ready for what was asked; none after the time or wake(). Below 0: no limit.
    const std::vector<Socket>& wait(int timeout_ms);

  private:
    std::vector<Socket> ready_;
#if defined(__linux__)
    int epoll_ = -1, wake_ = -1;
#else
    std::mutex mutex_;
    std::unordered_map<Socket, Interest> interests_;
    Socket wake_ = kNoSocket;  // a datagram socket that is connected to itself
#endif
};

}  // namespace rl::conformance
