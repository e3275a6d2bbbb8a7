// The shim under the kqueue backend: does it say what a kqueue says? Judged against what the sockets themselves do.
#include <gtest/gtest.h>
#include <sys/event.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <vector>

#include "tests/unit/backends/bound_socket.hpp"

namespace rl::testing {
namespace {

using Events = std::vector<struct kevent>;

struct kevent change(int fd, int filter, unsigned flags, void* udata = nullptr) {
    struct kevent it {};
    it.ident = static_cast<uintptr_t>(fd);
    it.filter = static_cast<int16_t>(filter);
    it.flags = static_cast<uint16_t>(flags);
    it.udata = udata;
    return it;
}

class KqueueShim : public ::testing::Test {
  protected:
    KqueueShim() : kq_(::kqueue()) {
        EXPECT_GE(kq_, 0);
        connect_pair();
    }
    ~KqueueShim() override {
        kqueue_shim_read_first(0);
        for (const int fd : {kq_, here_, there_}) {
            if (fd >= 0) ::close(fd);
        }
    }

    void connect_pair() {
        here_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        EXPECT_EQ(listener_.connect(here_), 0);
        there_ = listener_.accept();
        EXPECT_GE(there_, 0);
    }

    // Applies the changes, then takes what there is; waits for the first event no longer than asked.
    Events enter(const Events& changes, uint64_t wait_ms = 0, size_t room = 16) {
        Events events(room);
        const timespec timeout{static_cast<time_t>(wait_ms / 1000), static_cast<long>(wait_ms % 1000 * 1'000'000)};
        const int n = ::kevent(kq_, changes.data(), static_cast<int>(changes.size()), events.data(), static_cast<int>(room), &timeout);
        EXPECT_GE(n, 0) << errno;
        events.resize(n < 0 ? 0 : static_cast<size_t>(n));
        return events;
    }
    Events until_event(const Events& changes = {}) { return enter(changes, 10'000); }

    // To the end that is watched.
    void put(const std::string& octets) {
        int have = 0;
        ::ioctl(here_, FIONREAD, &have);
        EXPECT_EQ(::send(there_, octets.data(), octets.size(), MSG_NOSIGNAL), octets.size());
        await_octets(here_, have + static_cast<int>(octets.size()));
    }
    static std::string take(int fd, size_t n) {
        std::string octets(n, '\0');
        const ssize_t got = ::recv(fd, octets.data(), n, MSG_DONTWAIT);
        octets.resize(got < 0 ? 0 : static_cast<size_t>(got));
        return octets;
    }
    static void reset(int fd) {
        const linger hard{1, 0};
        ::setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
        ::close(fd);
    }

    const BoundSocket listener_{BoundSocket::Listens::yes};
    int kq_, here_ = -1, there_ = -1;
};

TEST_F(KqueueShim, ReadingTellsHowManyOctetsWait) {
    int mark = 0;
    EXPECT_TRUE(enter({change(here_, EVFILT_READ, EV_ADD | EV_CLEAR, &mark)}).empty()) << "there is nothing to read";
    put(std::string(300, 'x'));
    const Events events = until_event();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].ident, static_cast<uintptr_t>(here_));
    EXPECT_EQ(events[0].filter, EVFILT_READ);
    EXPECT_EQ(events[0].data, 300);
    EXPECT_EQ(events[0].udata, &mark);
    EXPECT_EQ(events[0].flags & (EV_EOF | EV_ERROR), 0u);
}

TEST_F(KqueueShim, ClearStateTellsOnceUntilMoreComes) {
    enter({change(here_, EVFILT_READ, EV_ADD | EV_CLEAR)});
    put("one");
    EXPECT_EQ(until_event().size(), 1u);
    EXPECT_TRUE(enter({}).empty());
    put("two");
    const Events events = until_event();
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].data, 6);
}

TEST_F(KqueueShim, WithoutClearStateItTellsAsLongAsItHolds) {
    enter({change(here_, EVFILT_READ, EV_ADD)});
    put("one");
    EXPECT_EQ(until_event().size(), 1u);
    EXPECT_EQ(enter({}).size(), 1u);
    take(here_, 3);
    EXPECT_TRUE(enter({}).empty());
}

TEST_F(KqueueShim, ChangesAndEventsGoInOneCall) {
    put("x");
    const Events events = until_event({change(here_, EVFILT_READ, EV_ADD | EV_CLEAR), change(here_, EVFILT_WRITE, EV_ADD | EV_CLEAR)});
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].filter, EVFILT_WRITE);
    EXPECT_GT(events[0].data, 1000) << "room of an idle connection";
    EXPECT_EQ(events[1].filter, EVFILT_READ);
    EXPECT_EQ(events[1].data, 1);
}

TEST_F(KqueueShim, TheSwitchTurnsTheOrder) {
    kqueue_shim_read_first(1);
    put("x");
    const Events events = until_event({change(here_, EVFILT_READ, EV_ADD | EV_CLEAR), change(here_, EVFILT_WRITE, EV_ADD | EV_CLEAR)});
    ASSERT_EQ(events.size(), 2u);
    EXPECT_EQ(events[0].filter, EVFILT_READ);
}

TEST_F(KqueueShim, OneEventAtATimeLosesNone) {
    put("x");
    enter({change(here_, EVFILT_READ, EV_ADD | EV_CLEAR), change(here_, EVFILT_WRITE, EV_ADD | EV_CLEAR | EV_ONESHOT)}, 0, 0);
    const Events first = enter({}, 10'000, 1), second = enter({}, 10'000, 1);
    ASSERT_EQ(first.size(), 1u);
    ASSERT_EQ(second.size(), 1u);
    EXPECT_EQ(first[0].filter, EVFILT_WRITE);
    EXPECT_EQ(second[0].filter, EVFILT_READ);
}

TEST_F(KqueueShim, OneShotIsGoneAfterItsEventAndComesBackWhenAdded) {
    const struct kevent once = change(here_, EVFILT_WRITE, EV_ADD | EV_CLEAR | EV_ONESHOT);
    EXPECT_EQ(until_event({once}).size(), 1u);
    EXPECT_TRUE(enter({}).empty());
    const Events gone = enter({change(here_, EVFILT_WRITE, EV_DELETE)});
    ASSERT_EQ(gone.size(), 1u);
    EXPECT_EQ(gone[0].flags & EV_ERROR, EV_ERROR);
    EXPECT_EQ(gone[0].data, ENOENT);
    EXPECT_EQ(until_event({once}).size(), 1u);
}

TEST_F(KqueueShim, DispatchDisablesAndEnableBringsBack) {
    EXPECT_EQ(until_event({change(here_, EVFILT_WRITE, EV_ADD | EV_DISPATCH)}).size(), 1u);
    EXPECT_TRUE(enter({}).empty());
    EXPECT_EQ(until_event({change(here_, EVFILT_WRITE, EV_ENABLE)}).size(), 1u);
}

TEST_F(KqueueShim, DisabledAndDeletedFiltersAreSilent) {
    enter({change(here_, EVFILT_READ, EV_ADD | EV_CLEAR)});
    enter({change(here_, EVFILT_READ, EV_DISABLE)});
    put("x");
    EXPECT_TRUE(enter({}, 20).empty());
    EXPECT_EQ(until_event({change(here_, EVFILT_READ, EV_ENABLE)}).size(), 1u);
    enter({change(here_, EVFILT_READ, EV_DELETE)});
    put("x");
    EXPECT_TRUE(enter({}, 20).empty());
}

TEST_F(KqueueShim, TheEndComesWithWhatIsLeftToRead) {
    enter({change(here_, EVFILT_READ, EV_ADD | EV_CLEAR)});
    put("last");
    ::shutdown(there_, SHUT_WR);
    Events events = until_event();
    while (events.size() == 1 && (events[0].flags & EV_EOF) == 0) events = until_event();  // the octets may be seen before the end
    ASSERT_EQ(events.size(), 1u);
    EXPECT_EQ(events[0].data, 4);
    EXPECT_EQ(events[0].fflags, 0u);
}

TEST_F(KqueueShim, AResetIsToldToBothFilters) {
    enter({change(here_, EVFILT_READ, EV_ADD | EV_CLEAR), change(here_, EVFILT_WRITE, EV_ADD | EV_CLEAR)});  // writing is told here
    reset(std::exchange(there_, -1));
    const Events events = until_event();
    ASSERT_EQ(events.size(), 2u);
    for (const struct kevent& event : events) {
        EXPECT_EQ(event.flags & EV_EOF, EV_EOF);
        EXPECT_EQ(event.fflags, static_cast<uint32_t>(ECONNRESET));
    }
}

TEST_F(KqueueShim, ARefusedConnectIsAnEndWithItsError) {
    for (const int first : {EVFILT_WRITE, EVFILT_READ}) {
        kqueue_shim_read_first(first == EVFILT_READ);
        const BoundSocket nobody(BoundSocket::Listens::no);
        const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
        EXPECT_EQ(nobody.connect(fd), -1);
        const Events events =
            until_event({change(fd, EVFILT_READ, EV_ADD | EV_CLEAR), change(fd, EVFILT_WRITE, EV_ADD | EV_CLEAR | EV_ONESHOT)});
        ASSERT_EQ(events.size(), 2u);
        EXPECT_EQ(events[0].filter, first);
        for (const struct kevent& event : events) {
            EXPECT_EQ(event.flags & EV_EOF, EV_EOF);
            EXPECT_EQ(event.fflags, static_cast<uint32_t>(ECONNREFUSED));
        }
        ::close(fd);
    }
}

TEST_F(KqueueShim, ClosingTakesAllFiltersOut) {
    enter({change(here_, EVFILT_READ, EV_ADD | EV_CLEAR), change(here_, EVFILT_WRITE, EV_ADD | EV_CLEAR)});
    const int number = here_;
    ::close(here_);
    ::close(there_);
    connect_pair();
    ASSERT_EQ(here_, number) << "the lowest free number is taken";
    put("x");
    EXPECT_TRUE(enter({}, 20).empty()) << "nobody asked for the new one";
    const Events events = until_event({change(here_, EVFILT_READ, EV_ADD | EV_CLEAR)});
    ASSERT_EQ(events.size(), 1u) << "only what was asked for the new one";
    EXPECT_EQ(events[0].filter, EVFILT_READ);
}

TEST_F(KqueueShim, AChangeThatFailsIsAnEventAndTheOthersAreDone) {
    put("x");
    const Events failed = enter({change(here_, EVFILT_READ, EV_DELETE), change(1 << 16, EVFILT_READ, EV_ADD), change(here_, -7, EV_ADD),
                                 change(here_, EVFILT_READ, EV_ADD | EV_CLEAR)});
    ASSERT_EQ(failed.size(), 3u) << "failures only: the events stay where they are";
    const std::array<intptr_t, 3> errors{ENOENT, EBADF, EINVAL};
    for (size_t i = 0; i < errors.size(); ++i) {
        EXPECT_EQ(failed[i].flags, EV_ERROR);
        EXPECT_EQ(failed[i].data, errors[i]);
    }
    EXPECT_EQ(until_event().size(), 1u) << "the last change was done";
}

TEST_F(KqueueShim, WithoutRoomAFailureEndsTheCall) {
    const struct kevent bad = change(here_, EVFILT_READ, EV_DELETE);
    EXPECT_EQ(::kevent(kq_, &bad, 1, nullptr, 0, nullptr), -1);
    EXPECT_EQ(errno, ENOENT);
}

TEST_F(KqueueShim, AReceiptComesForEachChangeAndDrainsNothing) {
    put("x");
    const Events receipts =
        enter({change(here_, EVFILT_READ, EV_ADD | EV_CLEAR | EV_RECEIPT), change(here_, EVFILT_WRITE, EV_DELETE | EV_RECEIPT)}, 0, 2);
    ASSERT_EQ(receipts.size(), 2u);
    EXPECT_EQ(receipts[0].data, 0);
    EXPECT_EQ(receipts[1].data, ENOENT);
    EXPECT_EQ(until_event().size(), 1u);
}

TEST_F(KqueueShim, ClearStateAndItsOppositeOnOneDescriptorAreRefused) {
    const Events refused = enter({change(here_, EVFILT_READ, EV_ADD | EV_CLEAR), change(here_, EVFILT_WRITE, EV_ADD)});
    ASSERT_EQ(refused.size(), 1u);
    EXPECT_EQ(refused[0].data, ENOTSUP);
}

TEST_F(KqueueShim, AQueueThatIsNoneIsRefused) {
    EXPECT_EQ(::kevent(here_, nullptr, 0, nullptr, 0, nullptr), -1);
    EXPECT_EQ(errno, EBADF);
}

}  // namespace
}  // namespace rl::testing
