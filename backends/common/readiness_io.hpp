// What backends that are told of readiness (epoll, kqueue) share: sockets, the send queue with gathered writes, the read loop.
//
// A connection is registered once, edge-triggered both ways, and never again until it is closed. Octets are read into one buffer for
// all connections, and into another while the sink holds that one; a short read means that the socket is drained, unless its end was
// announced too: then it is read to the end. What the sink queued while it handled an event is written right behind that event, all
// sends of a connection in one system call.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <span>
#include <string>
#include <utility>

#include "backends/common/last_events.hpp"
#include "backends/common/queued_write.hpp"
#include "backends/common/readiness.hpp"
#include "backends/common/sockets.hpp"
#include "core/base/arena.hpp"
#include "core/base/clock.hpp"
#include "core/base/result.hpp"
#include "core/base/ring.hpp"
#include "core/engine/backend_concept.hpp"
#include "core/engine/following_clock.hpp"

namespace rl::backends {

template <Readiness Poller>
class ReadinessIo {
  public:
    using ConnId = engine::ConnId;
    using IoError = engine::IoError;

    ~ReadinessIo() {
        for (uint32_t i = 0; i < slots_.size(); ++i) give_up(i);
    }

    Result<void> open(const engine::WorkerEnv& env) {
        RL_TRY(poller_.open(arena_, env.connections_max));
        slots_ = arena_.array<Slot>(env.connections_max);
        queue_.open(arena_, env.connections_max, env.pipeline_depth);
        buffers_ = static_cast<char*>(arena_.allocate(kReadBytes * (kBuffers + (Poller::kDropsUnread ? 0 : 1)), 4096));
        free_.open(arena_, kBuffers);
        for (uint32_t i = 0; i < kBuffers; ++i) free_.push(i);
        starving_.open(arena_, env.connections_max);
        dirty_.open(arena_, env.connections_max);
        over_.open(arena_, size_t{env.connections_max} * 2);
        return {};
    }

    void connect(ConnId id, const engine::Endpoint& endpoint) noexcept {
        Slot& slot = slots_[id.slot];
        slot = Slot{.generation = id.generation, .starving = slot.starving};
        counters_.syscalls += kOpenSocketCalls + 1;
        const int fd = open_socket(endpoint, Blocking::no);
        int error = fd < 0 ? -fd : 0;
        if (fd >= 0) {
            slot.fd = fd;
            if (::connect(fd, reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.length) != 0 && errno != EINPROGRESS) {
                error = errno;
            } else if (!poller_.add(fd, key_of(id), counters_.syscalls)) {
                error = errno;
            }
        }
        if (error == 0) {
            slot.state = State::connecting;
            return;
        }
        give_up(id.slot);
        slot.state = State::refused;
        slot.error = error_of(error);
        over_.push(id.slot);
    }

    void send(ConnId id, engine::SendRef ref) noexcept {
        Slot& slot = slots_[id.slot];
        if (slot.state != State::open || slot.generation != id.generation) return;
        queue_.push(id.slot, slot.sends, ref);
        if (slot.writable && !slot.dirty) {
            slot.dirty = true;
            dirty_.push(id.slot);
        }
    }

    void skip(ConnId id, uint64_t octets) noexcept {
        Slot& slot = slots_[id.slot];
        if (slot.generation != id.generation) return;
        slot.skip = octets;
        slot.bulk = Poller::kDropsUnread;
    }

    void close(ConnId id) noexcept {
        Slot& slot = slots_[id.slot];
        if (slot.generation != id.generation || slot.state == State::none || slot.state == State::over) return;
        const bool reported = slot.state == State::refused;  // stands in over_ already
        give_up(id.slot);
        slot.state = State::over;
        slot.error = IoError::none;
        if (!reported) over_.push(id.slot);
    }

    void release(engine::BufferToken token) noexcept { free_.push(token.value); }

    uint64_t now() noexcept { return clock_.now(); }
    const engine::BackendCounters& counters() const noexcept { return counters_; }
    std::string error() const { return error_; }

    template <class Sink>
    engine::PollResult poll(Sink& sink, const engine::WaitSpec& wait) noexcept {
        engine::PollResult result;
        flush_dirty(sink);
        int n = 0;
        const bool fed = !starving_.empty() && take_buffer();
        if (!over_.empty() || fed) {
            n = wait_once(0);
        } else {
            n = wait_for_events(wait, result);
        }
        sink.on_wake();
        if (n < 0) {
            error_ = std::string("waiting for events failed: ") + os_text(-n);
            result.broken = true;
            return result;
        }
        for (int i = 0; i < n; ++i) {
            handle(sink, i);
            flush_dirty(sink);
        }
        result.events = static_cast<uint32_t>(n) + (fed ? read_starving(sink) : 0) + deliver_last_events(over_, slots_, sink);
        return result;
    }

    template <class Sink>
    void drain(Sink& sink, uint64_t deadline_ns) noexcept {
        (void)deadline_ns;  // closing a descriptor takes effect at once
        for (uint32_t i = 0; i < slots_.size(); ++i) close({i, slots_[i].generation});
        deliver_last_events(over_, slots_, sink);
    }

  private:
    static constexpr size_t kReadBytes = 64 * 1024;
    static constexpr uint32_t kBuffers = 16;  // all but one are only touched where the sink holds octets
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr size_t kHeadBytes = 4096;  // read so much where a large body is expected behind the head
    static constexpr size_t kSkipBytes = Poller::kDropsUnread ? size_t{1} << 30 : kReadBytes;
    static constexpr int kReadsInARow = 32;

    enum class State : uint8_t { none, connecting, open, refused, over };
    struct Slot {
        int fd = -1;
        uint32_t generation = 0;
        State state = State::none;
        IoError error = IoError::none;  // how it ended; while open: how sending broke
        bool writable = false, dirty = false;
        bool bulk = false;      // the last answer had a body that was skipped
        bool starving = false;  // stands in starving_; outlives the connection, since the entry does
        SendQueue::Place sends{};
        uint64_t skip = 0;  // octets that need not be looked at
    };

    static uint64_t key_of(ConnId id) noexcept { return uint64_t{id.generation} << 32 | id.slot; }
    uint64_t key_of(uint32_t slot) const noexcept { return key_of({slot, slots_[slot].generation}); }

    int wait_once(uint64_t timeout_ns) noexcept {
        const int n = poller_.wait(timeout_ns, counters_.syscalls);
        return n == -EINTR ? 0 : n;
    }

    int wait_for_events(const engine::WaitSpec& wait, engine::PollResult& result) noexcept {
        uint64_t now = clock_.follow_and_now();
        const uint64_t spin_end = wait.spin_ns > UINT64_MAX - now ? UINT64_MAX : now + wait.spin_ns;
        for (;;) {
            const bool sleep = now >= spin_end && wait.min_events != 0 && now < wait.deadline_ns;
            const int n = wait_once(sleep ? wait.deadline_ns - now : 0);
            result.slept |= sleep;
            if (n != 0 || sleep || wait.min_events == 0) return n;
            now = clock_.now();
            if (now >= wait.deadline_ns) return 0;
        }
    }

    // A buffer to read into, unless the sink holds all of them.
    bool take_buffer() noexcept {
        if (current_ == kNone && !free_.empty()) current_ = free_.pop();
        return current_ != kNone;
    }

    // Connections that found no buffer and were told of readiness once: they are read to the end of what is there.
    template <class Sink>
    uint32_t read_starving(Sink& sink) noexcept {
        const size_t count = starving_.size();
        for (size_t left = count; left != 0; --left) {
            const uint32_t index = starving_.pop();
            slots_[index].starving = false;
            if (slots_[index].state == State::open) read(sink, index, true, kUnknown);
            flush_dirty(sink);
        }
        return static_cast<uint32_t>(count);
    }

    void give_up(uint32_t index) noexcept {
        Slot& slot = slots_[index];
        if (slot.fd < 0) return;
        poller_.forget(slot.fd, key_of(index), counters_.syscalls);
        ::close(slot.fd);
        ++counters_.syscalls;
        slot.fd = -1;
    }

    void end(uint32_t index, IoError error) noexcept {
        Slot& slot = slots_[index];
        give_up(index);
        slot.state = State::over;
        slot.error = error;
        over_.push(index);
    }

    template <class Sink>
    void handle(Sink& sink, int i) noexcept {
        const uint64_t key = poller_.key(i);
        const uint32_t index = static_cast<uint32_t>(key);
        Slot& slot = slots_[index];
        if (slot.generation != key >> 32 || slot.fd < 0) {
            ++counters_.late_events;
            return;
        }
        if constexpr (Poller::kDetailed) {
            if (poller_.refused(i) != 0) return refuse(sink, index, error_of(poller_.refused(i)));
            // Whoever tells of an error takes it away from the socket on some systems. EPIPE says that the peer had ended the stream.
            if (poller_.error(i) != 0 && poller_.error(i) != EPIPE) slot.error = error_of(poller_.error(i));
        }
        if (slot.state == State::connecting) {
            connected(sink, i, index);
        } else if (poller_.writable(i) && !slot.writable) {
            slot.writable = true;
            if (slot.sends.queued != 0) flush(sink, index);
        }
        if (slot.state != State::open || !(poller_.readable(i) || poller_.ended(i))) return;
        if constexpr (Poller::kDetailed) {
            read(sink, index, poller_.ended(i), poller_.waiting(i));
        } else {
            read(sink, index, poller_.ended(i), kUnknown);
        }
    }

    // The system does not watch this connection, so nothing would ever be heard of it.
    template <class Sink>
    void refuse(Sink& sink, uint32_t index, IoError error) noexcept {
        if (slots_[index].state == State::connecting) return not_connected(sink, index, error);
        end(index, error);
    }

    template <class Sink>
    void not_connected(Sink& sink, uint32_t index, IoError error) noexcept {
        const ConnId id{index, slots_[index].generation};
        give_up(index);
        slots_[index].state = State::none;
        sink.on_open(id, error);
    }

    // Any event says that connecting is over. How it went is asked of the socket, unless the event says so itself.
    template <class Sink>
    void connected(Sink& sink, int i, uint32_t index) noexcept {
        Slot& slot = slots_[index];
        if constexpr (Poller::kDetailed) {
            if (slot.error != IoError::none) return not_connected(sink, index, slot.error);
        }
        if (!Poller::kDetailed || poller_.ended(i)) {
            int error = 0;
            socklen_t length = sizeof error;
            ::getsockopt(slot.fd, SOL_SOCKET, SO_ERROR, &error, &length);
            ++counters_.syscalls;
            if (error != 0) return not_connected(sink, index, error_of(error));
        }
        slot.state = State::open;
        slot.writable = true;
        sink.on_open({index, slot.generation}, IoError::none);
        flush_dirty(sink);
    }

    IoError end_of(const Slot& slot) const noexcept { return slot.error == IoError::none ? IoError::peer_closed : slot.error; }

    // Octets that nobody looks at.
    ssize_t drop(int fd, size_t n) noexcept {
        if constexpr (Poller::kDropsUnread) {
            return discard_octets(fd, n);
        } else {
            return ::recv(fd, buffers_ + kReadBytes * kBuffers, n, 0);
        }
    }

    // HOT: one recv per delivery. Ends with the octets that were waiting, where their number is known and no end follows them.
    template <class Sink>
    void read(Sink& sink, uint32_t index, bool ended, uint64_t waiting) noexcept {
        Slot& slot = slots_[index];
        const ConnId id{index, slot.generation};
        for (int reads = 0; slot.state == State::open && slot.generation == id.generation; ++reads) {
            if constexpr (Poller::kEndIsCertain) {
                if (ended && waiting == 0) return end(index, end_of(slot));
            }
            const bool skipping = slot.skip != 0;
            const bool starved = !skipping && !take_buffer();
            if (starved || reads == kReadsInARow) [[unlikely]] {
                // A sender that never pauses must not hold up the others: it goes on with the next turn.
                counters_.starved += starved;
                if (!slot.starving) starving_.push(index);
                slot.starving = true;
                return;
            }
            char* const buffer = skipping ? nullptr : buffers_ + current_ * kReadBytes;
            const size_t want = skipping ? std::min<uint64_t>(slot.skip, kSkipBytes) : slot.bulk ? kHeadBytes : kReadBytes;
            const ssize_t n = skipping ? drop(slot.fd, want) : ::recv(slot.fd, buffer, want, 0);
            ++counters_.syscalls;
            if (n > 0) {
                if (skipping) {
                    slot.skip -= static_cast<uint64_t>(n);
                    sink.on_skipped(id, static_cast<uint64_t>(n));
                } else {
                    const uint32_t lent = std::exchange(current_, kNone);
                    if (sink.on_bytes(id, {buffer, static_cast<size_t>(n)}, {lent}) == engine::Keep::release) current_ = lent;
                    if (slot.bulk && slot.skip == 0 && static_cast<size_t>(n) == want) slot.bulk = false;
                }
                flush_dirty(sink);
                if constexpr (Poller::kDetailed) waiting -= std::min(waiting, static_cast<uint64_t>(n));
                if (!ended && (static_cast<size_t>(n) < want || (Poller::kDetailed && waiting == 0))) return;
                continue;
            }
            if (n == 0) return end(index, end_of(slot));
            if (errno == EINTR) continue;
            if (errno == EAGAIN) return;
            return end(index, error_of(errno));
        }
    }

    template <class Sink>
    void flush_dirty(Sink& sink) noexcept {
        while (!dirty_.empty()) {
            const uint32_t index = dirty_.pop();
            slots_[index].dirty = false;
            if (slots_[index].state == State::open) flush(sink, index);
        }
    }

    // HOT: everything queued on this connection in as few writes as the kernel allows.
    template <class Sink>
    void flush(Sink& sink, uint32_t index) noexcept {
        Slot& slot = slots_[index];
        const ConnId id{index, slot.generation};
        while (slot.sends.queued != 0 && slot.writable) {
            size_t total = 0;
            const ssize_t n = write_queued(queue_, slot.fd, index, slot.sends, total);
            ++counters_.syscalls;
            if (n < 0) {
                if (errno == EINTR) continue;
                return stopped(index, errno);
            }
            if (static_cast<size_t>(n) < total) wait_for_room(index);
            const uint32_t confirmed = queue_.take(index, slot.sends, static_cast<size_t>(n));
            if (confirmed != 0) sink.on_sent(id, confirmed);
            if (slot.generation != id.generation || slot.state != State::open) return;
        }
    }

    void wait_for_room(uint32_t index) noexcept {
        slots_[index].writable = false;
        poller_.await_room(slots_[index].fd, key_of(index));
    }

    // EAGAIN: there is no room. Otherwise the connection is broken and ends with its reading side, behind what the peer may still have
    // sent. But the kernel reports a reset once, and the read then only sees the end. EPIPE says that the peer had ended the stream
    // before, so there the end is right.
    void stopped(uint32_t index, int error) noexcept {
        Slot& slot = slots_[index];
        if (error == EAGAIN) return wait_for_room(index);
        slot.writable = false;
        if (error == EPIPE) return;
        slot.error = error_of(error);
        // Out of memory and the like: the connection stands, but nothing would ever say that its stream has a hole.
        if (slot.error != IoError::reset && slot.error != IoError::timed_out) end(index, slot.error);
    }

    Poller poller_;
    engine::FollowingClock clock_;
    std::span<Slot> slots_;
    SendQueue queue_;
    char* buffers_ = nullptr;  // kBuffers to deliver from; behind them one for what nobody looks at, where that has to be read
    Ring<uint32_t> free_;      // buffers that are neither the current one nor held
    uint32_t current_ = kNone;
    Ring<uint32_t> starving_;  // connections with octets to read and no buffer for them
    Ring<uint32_t> dirty_;     // connections with queued sends that may go out
    Ring<uint32_t> over_;      // connections whose last event is due
    engine::BackendCounters counters_;
    std::string error_;
    Arena arena_;
};

}  // namespace rl::backends
