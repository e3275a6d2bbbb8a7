// Creating overlapped sockets and naming what went wrong: what Winsock asks of a client that is told of completions.
//
// Cold but for error_of(). Belongs to the worker that opened it.
#pragma once

#include "backends/iocp/winsock.hpp"
#include "core/base/result.hpp"
#include "core/engine/endpoint.hpp"
#include "core/engine/io_error.hpp"

namespace rl::iocp {

// Winsock, started for as long as this lives. The system counts how often it was started.
class Winsock {
  public:
    Winsock() = default;
    ~Winsock();
    Winsock(const Winsock&) = delete;
    Winsock& operator=(const Winsock&) = delete;

    Result<void> open();
    // Starts an overlapped connect of a bound socket: ConnectEx, which each provider has to be asked for.
    bool connect(SOCKET socket, const engine::Endpoint& endpoint, OVERLAPPED* overlapped) const noexcept {
        return connect_(socket, reinterpret_cast<const sockaddr*>(&endpoint.address), static_cast<int>(endpoint.length), nullptr, 0,
                        nullptr, overlapped) != FALSE;
    }
    // The sockets of the family are handles of the kernel, not of a layer above it: only then may successes go unreported.
    bool handles_are_real(int family) const noexcept { return family == AF_INET6 ? real_v6_ : real_v4_; }

  private:
    bool started_ = false;
    bool real_v4_ = false, real_v6_ = false;
    LPFN_CONNECTEX connect_ = nullptr;
};

// A TCP socket without delay that is bound to any local address, as ConnectEx wants it; INVALID_SOCKET, and in error why.
SOCKET open_socket(int family, int& error) noexcept;

// Tells the socket that it is connected; until then it knows neither its peer nor how to shut down. False: it failed.
bool settle_connected(SOCKET socket) noexcept;

engine::IoError error_of(int error) noexcept;

}  // namespace rl::iocp
