// epoll: connections are registered once, edge-triggered. Belongs to one worker; all but wake() on its thread.
#pragma once

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <ctime>

namespace rl::serve {

class Poller {
  public:
    static constexpr uint32_t kReadable = EPOLLIN, kWritable = EPOLLOUT;
    static constexpr uint32_t kEnded = EPOLLRDHUP;          // the peer sends no more
    static constexpr uint32_t kGone = EPOLLERR | EPOLLHUP;  // nor does it take any more

    Poller() = default;
    ~Poller() {
        for (const int fd : {epoll_, wake_}) {
            if (fd >= 0) ::close(fd);
        }
    }
    Poller(const Poller&) = delete;
    Poller& operator=(const Poller&) = delete;

    // 0, or the system's error number.
    int open(int listener) noexcept {
        listener_ = listener;
        epoll_ = ::epoll_create1(EPOLL_CLOEXEC);
        wake_ = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
        epoll_event accepting{.events = EPOLLIN, .data = {.ptr = nullptr}};
        epoll_event waking{.events = EPOLLIN | EPOLLET, .data = {.ptr = this}};
        const bool works = epoll_ >= 0 && wake_ >= 0 && ::epoll_ctl(epoll_, EPOLL_CTL_ADD, listener_, &accepting) == 0 &&
                           ::epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_, &waking) == 0;
        return works ? 0 : errno;
    }
    void wake() noexcept {
        // A full counter means that the worker has yet to wake up anyway.
        [[maybe_unused]] const int written = ::eventfd_write(wake_, 1);
    }
    bool add(int fd, void* owner) noexcept {
        epoll_event interest{.events = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, .data = {.ptr = owner}};
        return ::epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &interest) == 0;
    }
    void remove(int) noexcept {}  // closing does it
    // The listening socket is not waited for while it rests.
    void rest(bool resting) noexcept {
        epoll_event interest{.events = resting ? 0u : EPOLLIN, .data = {.ptr = nullptr}};
        ::epoll_ctl(epoll_, EPOLL_CTL_MOD, listener_, &interest);
    }
    // HOT. How many events there are. Below 0: no limit; 0: only looks.
    int wait(int64_t left_ns) noexcept {
        if (left_ns <= 0) return ::epoll_wait(epoll_, events_.data(), kEventsMax, left_ns < 0 ? -1 : 0);
        const timespec left{static_cast<time_t>(left_ns / 1'000'000'000), static_cast<long>(left_ns % 1'000'000'000)};
        const int count = ::epoll_pwait2(epoll_, events_.data(), kEventsMax, &left, nullptr);
        // KERNEL: since 5.11; before it, whole milliseconds must do, rounded up so that nothing is early.
        if (count >= 0 || errno != ENOSYS) return count;
        return ::epoll_wait(epoll_, events_.data(), kEventsMax, static_cast<int>(std::min<int64_t>((left_ns + 999'999) / 1'000'000, 1000)));
    }
    void* owner(int i) const noexcept { return events_[static_cast<size_t>(i)].data.ptr; }
    uint32_t events(int i) const noexcept { return events_[static_cast<size_t>(i)].events; }

  private:
    static constexpr int kEventsMax = 512;

    int epoll_ = -1, wake_ = -1, listener_ = -1;
    std::array<epoll_event, kEventsMax> events_{};
};

}  // namespace rl::serve
