// The poller of the peers on Linux. epoll tells of ten thousand connections as fast as of ten.
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <array>

#include "core/base/assert.hpp"
#include "tests/conformance/peer_poller.hpp"

namespace rl::conformance {
namespace {

uint32_t events_of(Interest interest) { return interest == Interest::read ? EPOLLIN : interest == Interest::write ? EPOLLOUT : 0u; }

}  // namespace

PeerPoller::PeerPoller() {
    epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
    wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    RL_ASSERT(epoll_ >= 0 && wake_ >= 0);
    watch(wake_, Interest::read);
}

PeerPoller::~PeerPoller() {
    ::close(wake_);
    ::close(epoll_);
}

void PeerPoller::watch(Socket socket, Interest interest) {
    epoll_event event{};
    event.events = events_of(interest);
    event.data.fd = socket;
    if (::epoll_ctl(epoll_, EPOLL_CTL_MOD, socket, &event) == 0) return;
    RL_ASSERT(errno == ENOENT && ::epoll_ctl(epoll_, EPOLL_CTL_ADD, socket, &event) == 0);
}

void PeerPoller::forget(Socket) {}  // closing does it

void PeerPoller::wake() {
    const uint64_t one = 1;
    RL_ASSERT(::write(wake_, &one, sizeof one) == sizeof one);
}

const std::vector<Socket>& PeerPoller::wait(int timeout_ms) {
    std::array<epoll_event, 256> events;
    const int n = ::epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), timeout_ms);
    ready_.clear();
    for (int i = 0; i < n; ++i) {
        const int fd = events[static_cast<size_t>(i)].data.fd;
        uint64_t count = 0;
        if (fd != wake_) {
            ready_.push_back(fd);
        } else if (::read(wake_, &count, sizeof count) < 0) {
            RL_ASSERT(errno == EAGAIN);
        }
    }
    return ready_;
}

}  // namespace rl::conformance
