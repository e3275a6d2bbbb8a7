// WSAEventSelect: one event object of the worker is set by all its sockets, each of which is then asked what happened. Their events are
// edges, as those of epoll are: they come again only after a receive or a send that was refused.
//
// The price grows with the number of connections: this is for being right, not for being fast. All but wake() on the worker's thread.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "tools/serve/sockets.hpp"

namespace rl::serve {

class Poller {
  public:
    static constexpr uint32_t kReadable = 1, kWritable = 2, kEnded = 4, kGone = 8;

    Poller() = default;
    ~Poller();
    Poller(const Poller&) = delete;
    Poller& operator=(const Poller&) = delete;

    int open(int listener);
    void wake() noexcept;
    bool add(int fd, void* owner);
    void remove(int fd) noexcept { owners_.erase(fd); }
    void rest(bool resting) noexcept;
    int wait(int64_t left_ns);
    void* owner(int i) const noexcept { return events_[static_cast<size_t>(i)].owner; }
    uint32_t events(int i) const noexcept { return events_[static_cast<size_t>(i)].what; }

  private:
    struct Event {
        void* owner;
        uint32_t what;
    };

    void ask(int fd, void* owner);

    HANDLE happened_ = nullptr, wake_ = nullptr;
    int listener_ = -1;
    uint64_t swept_ms_ = 0;
    std::unordered_map<int, void*> owners_;
    std::vector<Event> events_;
};

}  // namespace rl::serve
