// What backends that are told of readiness (epoll, kqueue) share: sockets, the send queue with gathered writes, the read loop.
//
// A connection is registered once, edge-triggered both ways, and never again until it is closed. Octets are read into one buffer for
// all connections, and into another while the sink holds that one; a short read means that the socket is drained, unless its end was
// announced too: then it is read to the end. What the sink queued while it handled an event is written right behind that event, all
// sends of a connection in one system call.
//
// Poller: open() -> Result<void>; bool add(int fd, uint64_t key); int wait(uint64_t timeout_ns) -> events or -errno; the i-th event as
// key(i), readable(i), writable(i), ended(i). Single-threaded, owned by the worker.
#pragma once

#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <span>
#include <string>
#include <utility>

#include "backends/common/last_events.hpp"
#include "backends/common/sockets.hpp"
#include "core/base/arena.hpp"
#include "core/base/clock.hpp"
#include "core/base/result.hpp"
#include "core/base/ring.hpp"
#include "core/engine/backend_concept.hpp"
#include "core/engine/following_clock.hpp"

namespace rl::backends {

template <class Poller>
class ReadinessIo {
  public:
    using ConnId = engine::ConnId;
    using IoError = engine::IoError;

    ~ReadinessIo() {
        for (Slot& slot : slots_) {
            if (slot.fd >= 0) ::close(slot.fd);
        }
    }

    Result<void> open(const engine::WorkerEnv& env) {
        RL_TRY(poller_.open());
        slots_ = arena_.array<Slot>(env.connections_max);
        queue_mask_ = std::bit_ceil(env.pipeline_depth + 1) - 1;
        queues_ = arena_.array<engine::SendRef>(size_t{env.connections_max} * (queue_mask_ + 1));
        buffers_ = static_cast<char*>(arena_.allocate(kReadBytes * kBuffers, 4096));
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
        counters_.syscalls += 4;
        const int fd = open_socket(endpoint, Blocking::no);
        int error = fd < 0 ? -fd : 0;
        if (fd >= 0) {
            slot.fd = fd;
            if (::connect(fd, reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.length) != 0 && errno != EINPROGRESS) {
                error = errno;
            } else if (!poller_.add(fd, key_of(id))) {
                error = errno;
            }
        }
        if (error == 0) {
            slot.state = State::connecting;
            return;
        }
        give_up(slot);
        slot.state = State::refused;
        slot.error = error_of(error);
        over_.push(id.slot);
    }

    void send(ConnId id, engine::SendRef ref) noexcept {
        Slot& slot = slots_[id.slot];
        if (slot.state != State::open || slot.generation != id.generation) return;
        RL_DCHECK(slot.queued <= queue_mask_);
        queue(id.slot)[(slot.queue_head + slot.queued++) & queue_mask_] = ref;
        if (slot.writable && !slot.dirty) {
            slot.dirty = true;
            dirty_.push(id.slot);
        }
    }

    void skip(ConnId id, uint64_t octets) noexcept {
        Slot& slot = slots_[id.slot];
        if (slot.generation != id.generation) return;
        slot.skip = octets;
        slot.bulk = true;
    }

    void close(ConnId id) noexcept {
        Slot& slot = slots_[id.slot];
        if (slot.generation != id.generation || slot.state == State::none || slot.state == State::over) return;
        const bool reported = slot.state == State::refused;  // stands in over_ already
        give_up(slot);
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
    static constexpr int kGather = 16;
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
        uint16_t queue_head = 0, queued = 0;
        uint64_t sent = 0;  // octets of the oldest queued send that are gone
        uint64_t skip = 0;  // octets that need not be looked at
    };

    static uint64_t key_of(ConnId id) noexcept { return uint64_t{id.generation} << 32 | id.slot; }
    engine::SendRef* queue(uint32_t slot) noexcept { return queues_.data() + size_t{slot} * (queue_mask_ + 1); }

    int wait_once(uint64_t timeout_ns) noexcept {
        ++counters_.syscalls;
        const int n = poller_.wait(timeout_ns);
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
            if (slots_[index].state == State::open) read(sink, index, true);
            flush_dirty(sink);
        }
        return static_cast<uint32_t>(count);
    }

    void give_up(Slot& slot) noexcept {
        if (slot.fd < 0) return;
        ::close(slot.fd);
        ++counters_.syscalls;
        slot.fd = -1;
    }

    void end(uint32_t index, IoError error) noexcept {
        Slot& slot = slots_[index];
        give_up(slot);
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
        if (slot.state == State::connecting) {
            if (!poller_.writable(i) && !poller_.ended(i)) return;
            connected(sink, index);
        } else if (poller_.writable(i) && !slot.writable) {
            slot.writable = true;
            if (slot.queued != 0) flush(sink, index);
        }
        if (slot.state == State::open && (poller_.readable(i) || poller_.ended(i))) read(sink, index, poller_.ended(i));
    }

    template <class Sink>
    void connected(Sink& sink, uint32_t index) noexcept {
        Slot& slot = slots_[index];
        int error = 0;
        socklen_t length = sizeof error;
        ::getsockopt(slot.fd, SOL_SOCKET, SO_ERROR, &error, &length);
        ++counters_.syscalls;
        const ConnId id{index, slot.generation};
        if (error != 0) {
            give_up(slot);
            slot.state = State::none;
            sink.on_open(id, error_of(error));
            return;
        }
        slot.state = State::open;
        slot.writable = true;
        sink.on_open(id, IoError::none);
        flush_dirty(sink);
    }

    // HOT: one recv per delivery.
    template <class Sink>
    void read(Sink& sink, uint32_t index, bool ended) noexcept {
        Slot& slot = slots_[index];
        const ConnId id{index, slot.generation};
        for (int reads = 0; slot.state == State::open && slot.generation == id.generation; ++reads) {
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
            const size_t want = skipping ? std::min<uint64_t>(slot.skip, 1u << 30) : slot.bulk ? kHeadBytes : kReadBytes;
            const ssize_t n = skipping ? discard_octets(slot.fd, want) : ::recv(slot.fd, buffer, want, 0);
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
                if (static_cast<size_t>(n) < want && !ended) return;
                continue;
            }
            if (n == 0) return end(index, slot.error == IoError::none ? IoError::peer_closed : slot.error);
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
        while (slot.queued != 0 && slot.writable) {
            const engine::SendRef& first = queue(index)[slot.queue_head & queue_mask_];
            ssize_t n = 0;
            size_t total = 0;
            if (slot.queued == 1 && first.body_len == 0) {
                total = first.head_len - slot.sent;
                n = ::send(slot.fd, first.head + slot.sent, total, MSG_NOSIGNAL);
            } else {
                n = send_gathered(slot, index, total);
            }
            ++counters_.syscalls;
            if (n < 0) {
                if (errno == EINTR) continue;
                // EAGAIN: the next writable edge goes on. Otherwise the connection is broken and ends with its reading side, behind what
                // the peer may still have sent. But the kernel reports a reset once, and the read then only sees the end. EPIPE says
                // that the peer had ended the stream before, so there the end is right.
                const int error = errno;
                slot.writable = false;
                if (error == EAGAIN || error == EPIPE) return;
                slot.error = error_of(error);
                // Out of memory and the like: the connection stands, but nothing would ever say that its stream has a hole.
                if (slot.error != IoError::reset && slot.error != IoError::timed_out) end(index, slot.error);
                return;
            }
            if (static_cast<size_t>(n) < total) slot.writable = false;
            uint32_t confirmed = 0;
            take_sent(slot, index, static_cast<size_t>(n), confirmed);
            if (confirmed != 0) sink.on_sent(id, confirmed);
            if (slot.generation != id.generation || slot.state != State::open) return;
        }
    }

    ssize_t send_gathered(const Slot& slot, uint32_t index, size_t& total) noexcept {
        iovec parts[kGather];
        int count = 0;
        uint64_t passed = slot.sent;
        for (uint16_t i = 0; i < slot.queued && count + 2 <= kGather; ++i) {
            const engine::SendRef& ref = queue(index)[(slot.queue_head + i) & queue_mask_];
            for (const auto& [p, length] : {std::pair(ref.head, ref.head_len), std::pair(ref.body, ref.body_len)}) {
                if (passed >= length) {
                    passed -= length;
                    continue;
                }
                parts[count++] = {const_cast<uint8_t*>(p) + passed, length - passed};
                total += length - passed;
                passed = 0;
            }
        }
        msghdr message{};
        message.msg_iov = parts;
        message.msg_iovlen = static_cast<size_t>(count);
        return ::sendmsg(slot.fd, &message, MSG_NOSIGNAL);
    }

    void take_sent(Slot& slot, uint32_t index, size_t n, uint32_t& confirmed) noexcept {
        slot.sent += n;
        while (slot.queued != 0) {
            const engine::SendRef& ref = queue(index)[slot.queue_head & queue_mask_];
            const uint64_t length = uint64_t{ref.head_len} + ref.body_len;
            if (slot.sent < length) return;
            slot.sent -= length;
            confirmed += ref.settled ? 0 : 1;
            ++slot.queue_head;
            --slot.queued;
        }
    }

    Poller poller_;
    engine::FollowingClock clock_;
    std::span<Slot> slots_;
    std::span<engine::SendRef> queues_;
    uint32_t queue_mask_ = 0;
    char* buffers_ = nullptr;
    Ring<uint32_t> free_;  // buffers that are neither the current one nor held
    uint32_t current_ = kNone;
    Ring<uint32_t> starving_;  // connections with octets to read and no buffer for them
    Ring<uint32_t> dirty_;     // connections with queued sends that may go out
    Ring<uint32_t> over_;      // connections whose last event is due
    engine::BackendCounters counters_;
    std::string error_;
    Arena arena_;
};

}  // namespace rl::backends
