// kqueue as a poller for readiness_io: one kevent() hands over all changes and takes the events.
//
// Reading is watched with clear state from connect to close. Room for sending is asked for once, at connect, and again only when a send
// was cut short: a filter that stayed would report every acknowledgement of the peer. Both requests ride on the next wait, so they cost
// no system call. The count in a read event ends the read loop without a call that finds nothing.
#pragma once

#include <fcntl.h>
#include <sys/event.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <span>
#include <string>

#include "backends/common/readiness.hpp"
#include "backends/kqueue/system.hpp"
#include "core/base/error.hpp"
#include "core/base/ring.hpp"

namespace rl::kqueue {

class KqueuePoller {
  public:
    static constexpr bool kDetailed = true, kEndIsCertain = kEndsAreCertain;
    // SYSTEM: MSG_TRUNC drops octets of a stream on Linux alone. The builds on Linux do without as well, so that this path is tested.
    static constexpr bool kDropsUnread = false;

    ~KqueuePoller() {
        if (fd_ >= 0) ::close(fd_);
    }

    Result<void> open(Arena& arena, uint32_t connections_max) {
        fd_ = ::kqueue();
        if (fd_ < 0) return failure(Error::resource, "kqueue failed: " + os_text(errno), errno);
        ::fcntl(fd_, F_SETFD, FD_CLOEXEC);
        wishes_ = arena.array<Wish>(connections_max);
        listed_.open(arena, connections_max);
        return {};
    }

    bool add(int fd, uint64_t key, uint64_t&) noexcept {
        Wish& wish = wishes_[slot_of(key)];
        wish.fd = fd;
        wish.key = key;
        wish.submitted = false;
        ask(wish, kRead | kWrite);
        return true;
    }

    void await_room(int, uint64_t key) noexcept { ask(wishes_[slot_of(key)], kWrite); }

    // What was not handed over yet must not be: by then the number may stand for a socket of another worker.
    void forget(int fd, uint64_t key, uint64_t& syscalls) noexcept {
        Wish& wish = wishes_[slot_of(key)];
        wish.pending = 0;
        if (kClosesAreSeen || !wish.submitted) return;
        // A receipt for each change leaves no room for events, which would be lost here.
        const std::array<struct kevent, 2> changes{change(fd, EVFILT_READ, EV_DELETE | EV_RECEIPT, key),
                                                   change(fd, EVFILT_WRITE, EV_DELETE | EV_RECEIPT, key)};
        std::array<struct kevent, 2> receipts;
        const timespec no_time{};
        ++syscalls;
        (void)::kevent(fd_, changes.data(), 2, receipts.data(), 2, &no_time);
    }

    int wait(uint64_t timeout_ns, uint64_t& syscalls) noexcept {
        for (;;) {
            const int count = take_wishes();
            const bool all = listed_.empty();
            const int n = enter(count, all ? timeout_ns : 0, syscalls);
            if (all || n != 0) return n;  // what came is not to wait for the last changes: they go with the next call
        }
    }

    uint64_t key(int i) const noexcept { return reinterpret_cast<uintptr_t>(at(i).udata); }
    bool readable(int i) const noexcept { return at(i).filter == EVFILT_READ; }
    bool writable(int i) const noexcept { return at(i).filter == EVFILT_WRITE && !ended(i); }
    bool ended(int i) const noexcept { return (at(i).flags & EV_EOF) != 0; }
    int refused(int i) const noexcept { return (at(i).flags & EV_ERROR) != 0 ? static_cast<int>(at(i).data) : 0; }
    int error(int i) const noexcept { return ended(i) ? static_cast<int>(at(i).fflags) : 0; }
    uint64_t waiting(int i) const noexcept {
        return readable(i) && at(i).data >= 0 ? static_cast<uint64_t>(at(i).data) : backends::kUnknown;
    }

  private:
    static constexpr int kEvents = 256;
    static constexpr uint64_t kLongest = 86'400'000'000'000;  // SYSTEM: not every one takes a time-out of centuries
    static constexpr uint8_t kRead = 1, kWrite = 2;
    static_assert(sizeof(uintptr_t) >= sizeof(uint64_t), "a key has to fit the user data of an event");

    // What is to be asked for about the connection of one slot.
    struct Wish {
        uint64_t key = 0;
        int fd = -1;
        uint8_t pending = 0;
        bool listed = false;     // stands in listed_
        bool submitted = false;  // something was asked for before
    };

    static uint32_t slot_of(uint64_t key) noexcept { return static_cast<uint32_t>(key); }
    const struct kevent& at(int i) const noexcept { return events_[static_cast<size_t>(i)]; }

    void ask(Wish& wish, uint8_t filters) noexcept {
        wish.pending |= filters;
        if (wish.listed) return;
        wish.listed = true;
        listed_.push(slot_of(wish.key));
    }

    static struct kevent change(int fd, int filter, int flags, uint64_t key) noexcept {
        struct kevent it {};
        it.ident = static_cast<decltype(it.ident)>(fd);
        it.filter = static_cast<decltype(it.filter)>(filter);
        it.flags = static_cast<decltype(it.flags)>(flags);
        it.udata = reinterpret_cast<void*>(static_cast<uintptr_t>(key));
        return it;
    }

    // Fills changes_. Each of them may fail, and a failure takes a place in the list of events: so there are never more than places.
    int take_wishes() noexcept {
        size_t count = 0;
        while (!listed_.empty() && count + 2 <= changes_.size()) {
            Wish& wish = wishes_[listed_.pop()];
            wish.listed = false;
            if ((wish.pending & kRead) != 0) changes_[count++] = change(wish.fd, EVFILT_READ, EV_ADD | EV_CLEAR, wish.key);
            // EV_CLEAR means nothing beside EV_ONESHOT, but libkqueue takes a change of an existing filter only with it.
            if ((wish.pending & kWrite) != 0) changes_[count++] = change(wish.fd, EVFILT_WRITE, EV_ADD | EV_CLEAR | EV_ONESHOT, wish.key);
            wish.submitted = wish.submitted || wish.pending != 0;
            wish.pending = 0;
        }
        return static_cast<int>(count);
    }

    // Where a signal interrupts the call, the changes have been applied all the same.
    int enter(int changes, uint64_t timeout_ns, uint64_t& syscalls) noexcept {
        const uint64_t ns = std::min(timeout_ns, kLongest);
        const timespec timeout{static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
        ++syscalls;
        const int n = ::kevent(fd_, changes_.data(), changes, events_.data(), kEvents, &timeout);
        return n >= 0 ? n : -errno;
    }

    int fd_ = -1;
    std::span<Wish> wishes_;  // by slot
    Ring<uint32_t> listed_;   // slots that ask for something
    std::array<struct kevent, kEvents> changes_;
    std::array<struct kevent, kEvents> events_;
};

}  // namespace rl::kqueue
