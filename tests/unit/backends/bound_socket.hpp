// A socket on a free port of the loopback device that listens, or refuses because it never does; and waits for what was sent to arrive.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstring>

#include "core/engine/endpoint.hpp"

namespace rl::testing {

class BoundSocket {
  public:
    enum class Listens : bool { no, yes };

    explicit BoundSocket(Listens listens) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t length = sizeof address;
        EXPECT_EQ(::bind(fd_, reinterpret_cast<const sockaddr*>(&address), length), 0);
        EXPECT_EQ(::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length), 0);
        if (listens == Listens::yes) {
            EXPECT_EQ(::listen(fd_, 8), 0);
        }
        std::memcpy(&endpoint_.address, &address, sizeof address);
        endpoint_.length = sizeof address;
    }
    ~BoundSocket() { ::close(fd_); }
    BoundSocket(const BoundSocket&) = delete;
    BoundSocket& operator=(const BoundSocket&) = delete;

    const engine::Endpoint& endpoint() const { return endpoint_; }
    int accept() const { return ::accept(fd_, nullptr, nullptr); }
    // What connect(2) says of this descriptor.
    int connect(int fd) const { return ::connect(fd, reinterpret_cast<const sockaddr*>(&endpoint_.address), endpoint_.length); }

  private:
    int fd_;
    engine::Endpoint endpoint_;
};

// What was written at one end of a connection need not have reached the other when the call returns.
inline void await_octets(int fd, int n) {
    for (int have = 0, rounds = 0; have < n && rounds < 10'000; ++rounds) {
        pollfd one{fd, POLLIN, 0};
        ::poll(&one, 1, 1);
        ::ioctl(fd, FIONREAD, &have);
    }
}
inline void await_end(int fd) {
    pollfd one{fd, POLLRDHUP, 0};
    EXPECT_EQ(::poll(&one, 1, 10'000), 1);
}

}  // namespace rl::testing
