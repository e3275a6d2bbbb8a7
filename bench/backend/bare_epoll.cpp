// The floor of a readiness loop: edge-triggered, registered once, one recv and one send for each answer.
#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "bench/backend/bare_common.hpp"

namespace rl::bench {
namespace {

class EpollLoop {
  public:
    EpollLoop(const BareOptions& options, const Requests& requests, const std::vector<int>& sockets, AnswerCount& count)
        : options_(options), requests_(requests), sockets_(sockets), count_(count), poller_(epoll_create1(EPOLL_CLOEXEC)) {
        if (poller_ < 0) give_up("cannot make an epoll instance", errno);
        for (uint32_t slot = 0; slot < sockets_.size(); ++slot) {
            fcntl(sockets_[slot], F_SETFL, O_NONBLOCK);
            epoll_event event{};
            event.events = EPOLLIN | EPOLLET;
            event.data.u32 = slot;
            if (epoll_ctl(poller_, EPOLL_CTL_ADD, sockets_[slot], &event) != 0) give_up("cannot watch a socket", errno);
        }
    }
    ~EpollLoop() { close(poller_); }
    EpollLoop(const EpollLoop&) = delete;
    EpollLoop& operator=(const EpollLoop&) = delete;

    void start() {
        for (uint32_t slot = 0; slot < sockets_.size(); ++slot) ask(slot, options_.pipeline);
    }

    // Waits without sleeping for spin_us, then sleeping, and serves what came.
    void turn() {
        int ready = epoll_wait(poller_, events_.data(), static_cast<int>(events_.size()), 0);
        for (const uint64_t limit = now_ns() + options_.spin_us * 1000; ready == 0 && now_ns() < limit;) {
            ready = epoll_wait(poller_, events_.data(), static_cast<int>(events_.size()), 0);
        }
        if (ready == 0) ready = epoll_wait(poller_, events_.data(), static_cast<int>(events_.size()), static_cast<int>(kSleepMs));
        for (int i = 0; i < ready; ++i) serve(events_[static_cast<size_t>(i)].data.u32);
    }

  private:
    void ask(uint32_t slot, uint32_t count) {
        const ssize_t sent = send(sockets_[slot], requests_.octets.data(), size_t{requests_.one} * count, MSG_NOSIGNAL);
        if (sent != static_cast<ssize_t>(size_t{requests_.one} * count))
            give_up("a send was refused or cut short", sent < 0 ? errno : ENOBUFS);
    }
    // A read that fills the buffer may have left octets behind, which no further edge would announce.
    void serve(uint32_t slot) {
        ssize_t got = 0;
        uint32_t answered = 0;
        do {
            got = recv(sockets_[slot], buffer_.data(), buffer_.size(), 0);
            if (got == 0) give_up("the target closed a connection", ECONNRESET);
            if (got < 0 && errno != EAGAIN) give_up("cannot receive", errno);
            if (got > 0) answered += count_.take(slot, static_cast<uint64_t>(got));
        } while (got == static_cast<ssize_t>(buffer_.size()));
        if (answered > 0) ask(slot, answered);
    }

    const BareOptions& options_;
    const Requests& requests_;
    const std::vector<int>& sockets_;
    AnswerCount& count_;
    int poller_;
    std::array<epoll_event, 512> events_;
    std::array<char, 65536> buffer_;
};

}  // namespace

void run_bare_epoll(const BareOptions& options, const Requests& requests, const std::vector<int>& sockets, AnswerCount& count) {
    EpollLoop loop(options, requests, sockets, count);
    loop.start();
    const uint64_t end = now_ns() + static_cast<uint64_t>(options.seconds * 1e9);
    while (!interrupted() && now_ns() < end) loop.turn();
}

}  // namespace rl::bench
