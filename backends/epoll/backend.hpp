// The epoll backend: a poller for readiness_io. Needs Linux 2.6; sleeps to the nanosecond from 5.11 on.
#pragma once

#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "backends/common/readiness_io.hpp"

namespace rl::epoll {

class EpollPoller {
  public:
    static constexpr bool kDropsUnread = true, kDetailed = false, kEndIsCertain = false;

    ~EpollPoller() {
        if (fd_ >= 0) ::close(fd_);
    }

    Result<void> open(Arena&, uint32_t) {
        fd_ = ::epoll_create1(EPOLL_CLOEXEC);
        if (fd_ < 0) return failure(Error::resource, "epoll_create1 failed: " + os_text(errno), errno);
        return {};
    }

    bool add(int fd, uint64_t key, uint64_t& syscalls) noexcept {
        ++syscalls;
        epoll_event event{};
        event.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;
        event.data.u64 = key;
        return ::epoll_ctl(fd_, EPOLL_CTL_ADD, fd, &event) == 0;
    }

    void await_room(int, uint64_t) noexcept {}         // an edge that is always armed
    void forget(int, uint64_t, uint64_t&) noexcept {}  // closing is seen

    int wait(uint64_t timeout_ns, uint64_t& syscalls) noexcept {
        ++syscalls;
        if (timeout_ns == 0) return result(::epoll_wait(fd_, events_.data(), kEvents, 0));
        if (fine_) {
            const timespec timeout{static_cast<time_t>(timeout_ns / 1'000'000'000), static_cast<long>(timeout_ns % 1'000'000'000)};
            const int n = ::epoll_pwait2(fd_, events_.data(), kEvents, &timeout, nullptr);
            if (n >= 0 || errno != ENOSYS) return result(n);
            fine_ = false;  // KERNEL: before 5.11
        }
        return result(::epoll_wait(fd_, events_.data(), kEvents, static_cast<int>((timeout_ns + 999'999) / 1'000'000)));
    }

    uint64_t key(int i) const noexcept { return events_[static_cast<size_t>(i)].data.u64; }
    bool readable(int i) const noexcept { return (flags(i) & EPOLLIN) != 0; }
    bool writable(int i) const noexcept { return (flags(i) & EPOLLOUT) != 0; }
    bool ended(int i) const noexcept { return (flags(i) & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) != 0; }

  private:
    static constexpr int kEvents = 256;
    static int result(int n) noexcept { return n >= 0 ? n : -errno; }
    uint32_t flags(int i) const noexcept { return events_[static_cast<size_t>(i)].events; }

    int fd_ = -1;
    bool fine_ = true;
    std::array<epoll_event, kEvents> events_;
};

class EpollBackend : public backends::ReadinessIo<EpollPoller> {
  public:
    static const char* name() { return "epoll"; }
    Result<void> open(const rl_value*, const engine::WorkerEnv& env) { return ReadinessIo::open(env); }
    std::string switches() const { return "edge-triggered, gathered writes"; }
};

}  // namespace rl::epoll
