// The io_uring backend: the verbs and poll(). One ring per worker; one receive per connection that stays armed; sends that are not
// reported when they succeed; one system call a turn that submits, waits and works on completions.
//
// With DEFER_TASKRUN completions appear only while the worker is inside the kernel asking for them, so poll() enters in every case, also
// while it spins. How octets go out and come in is in transfers.hpp, how connections end in endings.hpp.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <span>
#include <string>

#include "backends/common/last_events.hpp"
#include "backends/common/send_queue.hpp"
#include "backends/common/sockets.hpp"
#include "backends/io_uring/cookie.hpp"
#include "backends/io_uring/probe.hpp"
#include "core/base/arena.hpp"
#include "core/base/ring.hpp"
#include "core/engine/backend_concept.hpp"
#include "core/engine/following_clock.hpp"

namespace rl::uring {

class IoUringBackend {
  public:
    using ConnId = engine::ConnId;
    using IoError = engine::IoError;
    using SendQueue = backends::SendQueue;

    static const char* name() { return "io_uring"; }
    ~IoUringBackend() {
        for (const Slot& slot : slots_) {
            if (slot.fd >= 0) ::close(slot.fd);
        }
    }

    Result<void> open(const rl_value* values, const engine::WorkerEnv& env);
    void connect(ConnId id, const engine::Endpoint& endpoint) noexcept;
    void send(ConnId id, engine::SendRef ref) noexcept;
    void skip(ConnId id, uint64_t octets) noexcept;
    void close(ConnId id) noexcept;
    void release(engine::BufferToken token) noexcept { buffers_.release(token.value); }
    template <class Sink>
    engine::PollResult poll(Sink& sink, const engine::WaitSpec& wait) noexcept;
    template <class Sink>
    void drain(Sink& sink, uint64_t deadline_ns) noexcept;
    uint64_t now() noexcept { return clock_.now(); }

    std::string switches() const { return abilities_.switches(); }
    std::string error() const { return error_; }
    const engine::BackendCounters& counters() const noexcept {
        counters_.syscalls = ring_.enters() + other_syscalls_;
        return counters_;
    }

  private:
    static constexpr uint32_t kHeadBytes = 4096;  // received so much where a large body is expected behind the head
    static constexpr uint32_t kDiscardMost = 1u << 30;
    static constexpr uint32_t kAhead = 2;       // completions looked ahead
    static constexpr uint8_t kSmallInARow = 4;  // answers without a large body before a connection is multishot again

    enum class State : uint8_t { none, connecting, open, closing, refused };
    struct alignas(64) Slot {
        int fd = -1;
        uint32_t generation = 0;
        State state = State::none;
        IoError error = IoError::none;  // how it ended; while open: how sending broke
        uint8_t pending = 0;            // completions that will still come and are counted
        bool armed = false;             // a receive is under way
        bool lasting = false;           // ... and is multishot
        bool bulk = false;              // bodies are discarded: receives are one by one
        bool sending = false;           // a send that is reported is under way
        bool cut = false;               // a send failed with EPIPE
        bool cancelling = false;        // its end waits for a cancel to complete
        bool silent = true;             // the socket takes settled sends at once
        uint8_t small = 0;
        uint32_t buffer = 0;  // own_buffers: of the receive that is under way
        SendQueue::Place sends{};
        uint64_t skip = 0;  // octets that need not be looked at
    };
    struct Gather {  // memory that the kernel reads while a gathered send is under way
        msghdr message;
        iovec parts[SendQueue::kGather];
    };

    static uint64_t cookie_of(Op op, uint32_t index, const Slot& slot) noexcept { return Cookie::make(op, index, slot.generation); }
    bool is(ConnId id, State state) const noexcept { return slots_[id.slot].generation == id.generation && slots_[id.slot].state == state; }

    bool take_buffer(uint32_t index) noexcept;
    void arm_receive(uint32_t index) noexcept;
    void start_send(uint32_t index) noexcept;
    void fill_parts(Slot& slot, uint32_t index) noexcept;
    int wait_for_events(const engine::WaitSpec& wait, engine::PollResult& result) noexcept;
    int sleep(const engine::WaitSpec& wait, uint64_t now) noexcept;
    template <class Sink>
    void prefetch(const Sink& sink, const io_uring_cqe& cqe) const noexcept;
    template <class Sink>
    uint32_t reap(Sink& sink) noexcept;
    template <class Sink>
    void received(Sink& sink, uint32_t index, const io_uring_cqe& cqe) noexcept;
    template <class Sink>
    void discarded(Sink& sink, uint32_t index, int32_t result) noexcept;
    template <class Sink>
    void sent(Sink& sink, uint32_t index, int32_t result) noexcept;
    template <class Sink>
    void connected(Sink& sink, uint32_t index, int32_t result) noexcept;

    // endings.hpp
    bool outlasts(int refusal) noexcept;
    void receive_ended(uint32_t index, int32_t result) noexcept;
    void sending_broke(uint32_t index, int32_t result) noexcept;
    IoError kind_of_end(const Slot& slot) noexcept;
    void cancelled(uint32_t index) noexcept;
    void begin_closing(uint32_t index, IoError error) noexcept;
    void finish_closing(uint32_t index) noexcept;

    Arena arena_;
    BufferRing buffers_;
    SubmissionRing ring_;  // goes first: until then the kernel may write to the buffers and read from the arena
    Abilities abilities_;
    std::span<Slot> slots_;
    engine::FollowingClock clock_;
    uint32_t submit_every_ = 0;

    SendQueue queue_;
    std::span<Gather> gathers_;
    Ring<uint32_t> rearm_;  // connections that found no free buffer
    Ring<uint32_t> over_;   // connections whose last event is due
    uint32_t open_slots_ = 0;
    uint64_t refused_since_ = 0;  // the kernel has taken nothing since then; 0: it takes what it is given
    uint64_t other_syscalls_ = 0;
    mutable engine::BackendCounters counters_;
    std::string error_;
};

inline Result<void> IoUringBackend::open(const rl_value* values, const engine::WorkerEnv& env) {
    const Options options = Options::from(values);
    auto found = open_best(options, env.connections_max, ring_, buffers_);
    if (!found) return std::move(found).error();
    abilities_ = std::move(*found);
    submit_every_ = options.submit_every == 0 ? UINT32_MAX : options.submit_every;
    slots_ = arena_.array<Slot>(env.connections_max);
    queue_.open(arena_, env.connections_max, env.pipeline_depth);
    gathers_ = {static_cast<Gather*>(arena_.allocate(sizeof(Gather) * env.connections_max, 64)), env.connections_max};
    rearm_.open(arena_, env.connections_max);
    over_.open(arena_, size_t{env.connections_max} * 2);
    return {};
}

inline void IoUringBackend::connect(ConnId id, const engine::Endpoint& endpoint) noexcept {
    Slot& slot = slots_[id.slot];
    slot = Slot{.generation = id.generation};
    // A blocking socket: io_uring itself never blocks on it, and a non-blocking one would be reported instead of waited for.
    const int fd = backends::open_socket(endpoint, backends::Blocking::yes);
    other_syscalls_ += 2;
    if (fd < 0) {
        slot.state = State::refused;
        slot.error = backends::error_of(-fd);
        over_.push(id.slot);
        return;
    }
    slot.fd = fd;
    slot.state = State::connecting;
    slot.silent = abilities_.skip_success;
    slot.pending = 1;
    ++open_slots_;
    io_uring_sqe* sqe = ring_.entry();
    sqe->opcode = IORING_OP_CONNECT;
    sqe->fd = fd;
    sqe->addr = reinterpret_cast<uint64_t>(&endpoint.address);
    sqe->off = endpoint.length;
    sqe->user_data = cookie_of(Op::connect, id.slot, slot);
}

inline void IoUringBackend::close(ConnId id) noexcept {
    Slot& slot = slots_[id.slot];
    if (slot.generation != id.generation) return;
    if (slot.state == State::connecting || slot.state == State::open) {
        begin_closing(id.slot, IoError::none);
    } else if (slot.state == State::refused) {
        slot.state = State::closing;  // stands in over_ already
        slot.error = IoError::none;
    }
}

template <class Sink>
engine::PollResult IoUringBackend::poll(Sink& sink, const engine::WaitSpec& wait) noexcept {
    engine::PollResult result;
    for (size_t left = rearm_.size(); left != 0; --left) {
        const uint32_t index = rearm_.pop();
        if (slots_[index].state == State::open && !slots_[index].armed) arm_receive(index);
    }
    const int n = over_.empty() ? wait_for_events(wait, result) : ring_.enter(0, IORING_ENTER_GETEVENTS, nullptr);
    sink.on_wake();
    if (n >= 0 && ring_.broken() == 0) [[likely]] {
        refused_since_ = 0;
    } else if (!outlasts(n)) {
        result.broken = true;
        return result;
    }
    result.events = reap(sink) + backends::deliver_last_events(over_, slots_, sink);
    return result;
}

// HOT.
inline int IoUringBackend::wait_for_events(const engine::WaitSpec& wait, engine::PollResult& result) noexcept {
    uint64_t now = clock_.follow_and_now();
    if (wait.min_events == 0 || now >= wait.deadline_ns) return ring_.enter(0, IORING_ENTER_GETEVENTS, nullptr);
    if (wait.spin_ns != 0) {
        const uint64_t spin_end = wait.spin_ns > UINT64_MAX - now ? UINT64_MAX : now + wait.spin_ns;
        do {
            const int n = ring_.enter(0, IORING_ENTER_GETEVENTS, nullptr);
            if (n < 0 || ring_.ready() != 0) return n;
            now = clock_.now();
            if (now >= wait.deadline_ns) return 0;
        } while (now < spin_end);
    }
    result.slept = true;
    return sleep(wait, now);
}

inline int IoUringBackend::sleep(const engine::WaitSpec& wait, uint64_t now) noexcept {
    uint64_t longest = wait.deadline_ns - now;
    uint32_t window_us = 0;
    if (wait.min_events > 1) {
        if (abilities_.batched_wait) {
            // KERNEL: since 6.12 min_wait_usec, which the time-out does not cut short; 0 would mean no window at all.
            window_us = static_cast<uint32_t>(std::clamp<uint64_t>(std::min(wait.batch_window_ns, longest) / 1000, 1, UINT32_MAX));
        } else {
            longest = std::min(longest, wait.batch_window_ns);
        }
    }
    const __kernel_timespec time{static_cast<int64_t>(longest / 1'000'000'000), static_cast<long long>(longest % 1'000'000'000)};
    // Without names: the third field is called pad in liburing 2.3 and min_wait_usec in later ones.
    io_uring_getevents_arg arg{0, 8, window_us, reinterpret_cast<uint64_t>(&time)};
    return ring_.enter(wait.min_events, IORING_ENTER_GETEVENTS, &arg);
}

// With a thousand connections their state is not in the first cache when its turn comes.
template <class Sink>
void IoUringBackend::prefetch(const Sink& sink, const io_uring_cqe& cqe) const noexcept {
    const uint32_t index = Cookie::slot(cqe.user_data);
    __builtin_prefetch(&slots_[index]);
    if constexpr (requires { sink.prefetch(index); }) sink.prefetch(index);
}

// HOT: walks the completions once, gives everything back once.
template <class Sink>
uint32_t IoUringBackend::reap(Sink& sink) noexcept {
    const uint32_t count = ring_.ready();
    for (uint32_t i = 0; i < count; ++i) {
        const io_uring_cqe cqe = ring_.front();
        ring_.pop();
        if (i + kAhead < count) prefetch(sink, ring_.ahead(kAhead - 1));
        const uint32_t index = Cookie::slot(cqe.user_data);
        const Slot& slot = slots_[index];
        if (Cookie::generation(cqe.user_data) != (slot.generation & Cookie::kGenerationMask)) [[unlikely]] {
            // A settled send or a cancel of a connection that is gone; nothing of it is left to be given back.
            ++counters_.late_events;
            continue;
        }
        switch (Cookie::op(cqe.user_data)) {
            case Op::receive:
                received(sink, index, cqe);
                break;
            case Op::discard:
                discarded(sink, index, cqe.res);
                break;
            case Op::send:
                sent(sink, index, cqe.res);
                break;
            case Op::connect:
                connected(sink, index, cqe.res);
                break;
            case Op::send_settled:
                sending_broke(index, cqe.res);
                break;
            case Op::cancel:
                cancelled(index);
                break;
        }
    }
    ring_.publish();
    buffers_.publish();
    return count;
}

template <class Sink>
void IoUringBackend::connected(Sink& sink, uint32_t index, int32_t result) noexcept {
    Slot& slot = slots_[index];
    --slot.pending;
    if (slot.state == State::closing) return finish_closing(index);
    const ConnId id{index, slot.generation};
    if (result < 0) {
        ::close(slot.fd);
        ++other_syscalls_;
        --open_slots_;
        slot.fd = -1;
        slot.state = State::none;
        sink.on_open(id, backends::error_of(-result));
        return;
    }
    slot.state = State::open;
    arm_receive(index);
    sink.on_open(id, IoError::none);
}

template <class Sink>
void IoUringBackend::drain(Sink& sink, uint64_t deadline_ns) noexcept {
    for (uint32_t i = 0; i < slots_.size(); ++i) close({i, slots_[i].generation});
    while ((open_slots_ != 0 || !over_.empty()) && now() < deadline_ns) {
        if (poll(sink, {.deadline_ns = deadline_ns}).broken) return;
    }
}

}  // namespace rl::uring

#include "backends/io_uring/endings.hpp"
#include "backends/io_uring/transfers.hpp"
