// The poller of the peers where there is no epoll: poll() or WSAPoll(), over all sockets that are waited for, each time anew.
#include "core/base/assert.hpp"
#include "tests/conformance/peer_poller.hpp"

#if !defined(_WIN32)
#include <poll.h>
#endif

namespace rl::conformance {
namespace {

#if defined(_WIN32)
using Entry = WSAPOLLFD;
int poll_all(std::vector<Entry>& entries, int timeout_ms) {
    return ::WSAPoll(entries.data(), static_cast<ULONG>(entries.size()), timeout_ms);
}
#else
using Entry = pollfd;
int poll_all(std::vector<Entry>& entries, int timeout_ms) {
    return ::poll(entries.data(), static_cast<nfds_t>(entries.size()), timeout_ms);
}
#endif

// What is sent to its own address comes back to it.
Socket socket_to_itself() {
    const Socket socket = open_socket(AF_INET, SOCK_DGRAM);
    RL_ASSERT(socket != kNoSocket);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t length = sizeof address;
    auto* const plain = reinterpret_cast<sockaddr*>(&address);
    RL_ASSERT(::bind(socket, plain, length) == 0 && ::getsockname(socket, plain, &length) == 0);
    RL_ASSERT(::connect(socket, plain, length) == 0);
    return socket;
}

}  // namespace

PeerPoller::PeerPoller() : wake_(socket_to_itself()) { interests_[wake_] = Interest::read; }

PeerPoller::~PeerPoller() { close_socket(wake_); }

void PeerPoller::watch(Socket socket, Interest interest) {
    const std::lock_guard lock(mutex_);
    interests_[socket] = interest;
}

void PeerPoller::forget(Socket socket) {
    const std::lock_guard lock(mutex_);
    interests_.erase(socket);
}

void PeerPoller::wake() { RL_ASSERT(send_some(wake_, "!", 1) == 1 || would_block()); }

const std::vector<Socket>& PeerPoller::wait(int timeout_ms) {
    std::vector<Entry> entries;
    {
        const std::lock_guard lock(mutex_);
        for (const auto& [socket, interest] : interests_) {
            if (interest == Interest::none) continue;
            Entry entry{};
            entry.fd = socket;
            entry.events = interest == Interest::read ? POLLIN : POLLOUT;
            entries.push_back(entry);
        }
    }
    const int n = poll_all(entries, timeout_ms);
    ready_.clear();
    for (const Entry& entry : entries) {
        if (n <= 0 || entry.revents == 0) continue;
        if (entry.fd != wake_) {
            ready_.push_back(entry.fd);
            continue;
        }
        char octet;
        while (receive_some(wake_, &octet, 1) > 0) {
        }
    }
    return ready_;
}

}  // namespace rl::conformance
