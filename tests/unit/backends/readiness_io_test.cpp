// What readiness_io makes of events that come in any order and tell more or less: a poller that says what the test wants, real sockets.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <deque>
#include <string>
#include <vector>

#include "backends/common/readiness_io.hpp"
#include "tests/unit/backends/bound_socket.hpp"

namespace rl::backends {
namespace {

using engine::ConnId;
using engine::IoError;

struct Told {
    uint64_t key = 0;
    bool readable = false, writable = false, ended = false;
    int refused = 0, error = 0;
    uint64_t waiting = kUnknown;
};

// The poller belongs to the backend under test, so a test finds it here.
struct Script {
    std::deque<Told> next;  // what the next wait tells
    std::vector<std::string> calls;
    int fd = -1;  // of the last connection
};
Script* script = nullptr;

template <bool Certain>
class ScriptedPoller {
  public:
    static constexpr bool kDetailed = true, kEndIsCertain = Certain, kDropsUnread = false;

    Result<void> open(Arena&, uint32_t) { return {}; }
    bool add(int fd, uint64_t key, uint64_t&) noexcept {
        script->fd = fd;
        return note("add", key), true;
    }
    void await_room(int, uint64_t key) noexcept { note("await_room", key); }
    void forget(int fd, uint64_t key, uint64_t&) noexcept { note(::fcntl(fd, F_GETFD) >= 0 ? "forget" : "forget what is closed", key); }
    int wait(uint64_t, uint64_t&) noexcept {
        now_ = std::move(script->next);
        script->next.clear();
        return static_cast<int>(now_.size());
    }
    uint64_t key(int i) const noexcept { return at(i).key; }
    bool readable(int i) const noexcept { return at(i).readable; }
    bool writable(int i) const noexcept { return at(i).writable; }
    bool ended(int i) const noexcept { return at(i).ended; }
    int refused(int i) const noexcept { return at(i).refused; }
    int error(int i) const noexcept { return at(i).error; }
    uint64_t waiting(int i) const noexcept { return at(i).waiting; }

  private:
    static void note(const char* what, uint64_t key) { script->calls.push_back(what + std::string(" ") + std::to_string(key >> 32)); }
    const Told& at(int i) const noexcept { return now_[static_cast<size_t>(i)]; }
    std::deque<Told> now_;
};

struct Sink {
    std::vector<std::string> events;
    void say(const char* what, ConnId id, const std::string& more) {
        events.push_back(std::string(what) + " " + std::to_string(id.generation) + " " + more);
    }
    void on_wake() noexcept {}
    void on_open(ConnId id, IoError error) noexcept { say("open", id, std::to_string(static_cast<int>(error))); }
    engine::Keep on_bytes(ConnId id, std::span<const char> octets, engine::BufferToken) noexcept {
        say("bytes", id, std::to_string(octets.size()));
        return engine::Keep::release;
    }
    void on_skipped(ConnId id, uint64_t octets) noexcept { say("skipped", id, std::to_string(octets)); }
    void on_sent(ConnId id, uint32_t refs) noexcept { say("sent", id, std::to_string(refs)); }
    void on_closed(ConnId id, IoError error) noexcept { say("closed", id, std::to_string(static_cast<int>(error))); }
};
std::string opened(IoError error = IoError::none) { return "open 1 " + std::to_string(static_cast<int>(error)); }
std::string closed(IoError error) { return "closed 1 " + std::to_string(static_cast<int>(error)); }

template <bool Certain>
class Fixture : public ::testing::Test {
  protected:
    Fixture() {
        script = &script_;
        EXPECT_TRUE(io_.open({.connections_max = 2, .pipeline_depth = 4}));
        io_.connect(kId, listener_.endpoint());
        peer_ = listener_.accept();
        EXPECT_GE(peer_, 0);
    }
    ~Fixture() override {
        if (peer_ >= 0) ::close(peer_);
    }

    // One poll that is told this; the events are those of it alone.
    const std::vector<std::string>& poll(std::deque<Told> told) {
        for (Told& one : told) one.key = kKey;
        script_.next = std::move(told);
        sink_.events.clear();
        const uint64_t before = io_.counters().syscalls;
        io_.poll(sink_, {.deadline_ns = 0});
        calls_ = io_.counters().syscalls - before;
        return sink_.events;
    }
    void put(size_t n) {
        const std::string octets(n, 'x');
        EXPECT_EQ(::send(peer_, octets.data(), n, MSG_NOSIGNAL), static_cast<ssize_t>(n));
        testing::await_octets(script_.fd, static_cast<int>(n));
    }
    void finish() {
        ::shutdown(peer_, SHUT_WR);
        testing::await_end(script_.fd);
    }

    using Events = std::vector<std::string>;
    static constexpr ConnId kId{0, 1};
    static constexpr uint64_t kKey = uint64_t{1} << 32;
    static constexpr Told kRead{.readable = true}, kWrite{.writable = true};
    static Told read(uint64_t waiting, bool ended = false, int error = 0) {
        return {.readable = true, .ended = ended, .error = error, .waiting = waiting};
    }

    Script script_;
    ReadinessIo<ScriptedPoller<Certain>> io_;
    Sink sink_;
    const testing::BoundSocket listener_{testing::BoundSocket::Listens::yes};
    uint64_t calls_ = 0;  // system calls of the last poll
    int peer_ = -1;
};
using ReadinessIoTest = Fixture<true>;
using DoubtfulEnds = Fixture<false>;

TEST_F(ReadinessIoTest, ARefusedConnectInEitherOrderIsOneFailedOpen) {
    const Told reading = read(0, true, ECONNREFUSED), writing{.ended = true, .error = ECONNREFUSED};
    EXPECT_EQ(poll({reading, writing}), Events{opened(IoError::refused)});
    io_.connect(kId, listener_.endpoint());
    EXPECT_EQ(poll({writing, reading}), Events{opened(IoError::refused)});
    EXPECT_EQ(io_.counters().late_events, 2u);
}

TEST_F(ReadinessIoTest, AnEndWithoutAnErrorAsksTheSocket) {
    const testing::BoundSocket nobody(testing::BoundSocket::Listens::no);
    io_.close(kId);
    poll({});
    io_.connect(kId, nobody.endpoint());
    EXPECT_EQ(poll({read(0, true)}), Events{opened(IoError::refused)});
}

TEST_F(ReadinessIoTest, OctetsBeforeTheConnectIsReportedAreNotLost) {
    put(10);
    EXPECT_EQ(poll({read(10), kWrite}), (Events{opened(), "bytes 1 10"}));
}

TEST_F(ReadinessIoTest, ConnectingAsksNothingWhereNothingEnded) {
    EXPECT_EQ(poll({kWrite}), Events{opened()});
    EXPECT_EQ(calls_, 0u);
}

TEST_F(ReadinessIoTest, TheCountSavesTheCallThatFindsTheEnd) {
    poll({kWrite});
    put(10);
    finish();
    EXPECT_EQ(poll({read(10, true)}), (Events{"bytes 1 10", closed(IoError::peer_closed)}));
    EXPECT_EQ(calls_, 2u) << "one to read and one to close";
}

TEST_F(ReadinessIoTest, ACountThatIsTooHighDoesNotHideTheEnd) {
    poll({kWrite});
    put(10);
    finish();
    EXPECT_EQ(poll({read(25, true)}), (Events{"bytes 1 10", closed(IoError::peer_closed)}));
}

TEST_F(ReadinessIoTest, AnErrorOfTheEventOutlivesTheOctetsBeforeIt) {
    poll({kWrite});
    put(10);
    EXPECT_EQ(poll({read(10, true, ECONNRESET)}), (Events{"bytes 1 10", closed(IoError::reset)}));
}

TEST_F(ReadinessIoTest, AnErrorOnTheWritingSideIsRememberedForTheEnd) {
    poll({kWrite});
    put(10);
    finish();
    EXPECT_EQ(poll({Told{.ended = true, .error = ECONNRESET}}), (Events{"bytes 1 10", closed(IoError::reset)}));
}

TEST_F(ReadinessIoTest, APipeThatIsBrokenIsTheEndOfThePeer) {
    poll({kWrite});
    EXPECT_EQ(poll({read(0, true, EPIPE)}), Events{closed(IoError::peer_closed)});
}

TEST_F(ReadinessIoTest, TheCountSavesTheCallBehindASkip) {
    poll({kWrite});
    put(1000);
    io_.skip(kId, 1000);
    EXPECT_EQ(poll({read(1000)}), Events{"skipped 1 1000"});
    EXPECT_EQ(calls_, 1u);
}

TEST_F(ReadinessIoTest, ASkipIsReadInPortionsAndWhatFollowsIsDelivered) {
    poll({kWrite});
    put(70'000);
    io_.skip(kId, 69'990);
    const Events& events = poll({read(70'000)});
    uint64_t skipped = 0;
    for (const std::string& event : events) {
        if (event.starts_with("skipped 1 ")) skipped += std::stoul(event.substr(10));
    }
    EXPECT_EQ(skipped, 69'990u);
    EXPECT_EQ(events.back(), "bytes 1 10");
}

TEST_F(ReadinessIoTest, WhatTheSystemWouldNotWatchIsSaid) {
    EXPECT_EQ(poll({Told{.refused = ENOMEM}}), Events{opened(IoError::no_memory)});
    io_.connect(kId, listener_.endpoint());
    poll({kWrite});
    EXPECT_EQ(poll({Told{.refused = ENOMEM}}), Events{closed(IoError::no_memory)});
}

TEST_F(ReadinessIoTest, ThePollerForgetsBeforeTheDescriptorIsClosed) {
    poll({kWrite});
    io_.close(kId);
    EXPECT_EQ(script_.calls, (Events{"add 1", "forget 1"}));
    EXPECT_EQ(poll({}), Events{closed(IoError::none)});
}

TEST_F(ReadinessIoTest, ASendThatIsCutShortAwaitsRoomAndGoesOn) {
    poll({kWrite});
    const std::string much(32 << 20, 'x');
    io_.send(kId, {.head = reinterpret_cast<const uint8_t*>(much.data()), .head_len = static_cast<uint32_t>(much.size())});
    EXPECT_EQ(poll({}), Events{});
    ASSERT_EQ(script_.calls, (Events{"add 1", "await_room 1"}));
    std::string octets(1 << 20, '\0');
    for (size_t got = 0, rounds = 0; got < much.size() && rounds < 100'000; ++rounds) {
        const ssize_t n = ::recv(peer_, octets.data(), octets.size(), MSG_DONTWAIT);
        if (n > 0) got += static_cast<size_t>(n);
        poll({kWrite});
        if (!sink_.events.empty()) break;
    }
    EXPECT_EQ(sink_.events, Events{"sent 1 1"});
}

TEST_F(DoubtfulEnds, AnEndThatIsNoneLeavesTheConnection) {
    poll({kWrite});
    EXPECT_EQ(poll({read(0, true)}), Events{});
    put(10);
    EXPECT_EQ(poll({read(10, true)}), Events{"bytes 1 10"});
    finish();
    EXPECT_EQ(poll({read(0, true)}), Events{closed(IoError::peer_closed)});
}

TEST_F(DoubtfulEnds, AnErrorThatTheEventTookAwayIsNotForgotten) {
    poll({kWrite});
    finish();  // as the socket looks once its error was taken: it only ends
    EXPECT_EQ(poll({read(0, true, ECONNRESET)}), Events{closed(IoError::reset)});
}

}  // namespace
}  // namespace rl::backends
