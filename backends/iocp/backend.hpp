// The iocp backend: the verbs and poll(). One completion port per worker; one receive per connection that waits in the kernel with a
// buffer of its own; all that is queued on a connection goes out in one gathered send, one at a time.
//
// What the system does at once is not reported through the port where the provider allows that: sends are then over in the same call,
// and receives stand in a list of their own until the events of the turn are walked. How octets go out and come in is in transfers.hpp,
// how connections end in endings.hpp, how poll() waits in waiting.hpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>

#include "backends/common/last_events.hpp"
#include "backends/common/send_queue.hpp"
#include "backends/iocp/buffer_pool.hpp"
#include "backends/iocp/operation.hpp"
#include "backends/iocp/options.hpp"
#include "backends/iocp/port.hpp"
#include "backends/iocp/sockets.hpp"
#include "core/base/arena.hpp"
#include "core/base/ring.hpp"
#include "core/engine/backend_concept.hpp"
#include "core/engine/following_clock.hpp"

namespace rl::iocp {

class IocpBackend {
  public:
    using ConnId = engine::ConnId;
    using IoError = engine::IoError;
    using SendQueue = backends::SendQueue;

    static const char* name() { return "iocp"; }
    IocpBackend() = default;
    // Waits until the kernel has given back every block and buffer: until then it may write to them.
    ~IocpBackend() {
        engine::ProbeSink nobody;
        drain(nobody, UINT64_MAX);
    }
    IocpBackend(const IocpBackend&) = delete;
    IocpBackend& operator=(const IocpBackend&) = delete;

    Result<void> open(const rl_value* values, const engine::WorkerEnv& env);
    void connect(ConnId id, const engine::Endpoint& endpoint) noexcept;
    void send(ConnId id, engine::SendRef ref) noexcept;
    void skip(ConnId id, uint64_t octets) noexcept {
        if (is(id, State::open)) slots_[id.slot].skip = octets;
    }
    void close(ConnId id) noexcept;
    void release(engine::BufferToken token) noexcept { buffers_.give_back(token.value); }
    template <class Sink>
    engine::PollResult poll(Sink& sink, const engine::WaitSpec& wait) noexcept;
    template <class Sink>
    void drain(Sink& sink, uint64_t deadline_ns) noexcept;
    uint64_t now() noexcept { return clock_.now(); }

    std::string switches() const;
    std::string downgrade() const;  // "" or sentences: which better feature is missing, and why
    std::string error() const { return error_; }
    const engine::BackendCounters& counters() const noexcept {
        counters_.syscalls = port_.syscalls() + other_syscalls_;
        return counters_;
    }

  private:
    static constexpr uint32_t kScratchBytes = 256 * 1024;
    static constexpr uint32_t kAhead = 2;  // completions looked ahead

    enum class State : uint8_t { none, connecting, open, closing, refused };
    struct alignas(64) Slot {
        SOCKET socket = INVALID_SOCKET;
        uint32_t generation = 0;
        State state = State::none;
        IoError error = IoError::none;        // how it ended; while open: how sending broke
        uint8_t pending = 0;                  // operations that are under way, or done and not yet looked at
        bool sending = false;                 // a send is under way
        bool silent = false;                  // what is done at once is not reported
        bool dirty = false;                   // stands in dirty_; outlives the connection, since the entry does
        bool starving = false;                // stands in starving_, as above
        uint32_t buffer = BufferPool::kNone;  // under the receive that is under way
        SendQueue::Place sends{};
        uint64_t skip = 0;  // octets that need not be looked at
    };

    bool is(ConnId id, State state) const noexcept { return slots_[id.slot].generation == id.generation && slots_[id.slot].state == state; }

    bool wait_for_events(const engine::WaitSpec& wait, engine::PollResult& result) noexcept;
    bool spin(const engine::WaitSpec& wait, uint64_t& now) noexcept;
    bool sleep(const engine::WaitSpec& wait, uint64_t now) noexcept;
    void feed_starving() noexcept;
    void arm_receive(uint32_t index) noexcept;
    DWORD gather(const Slot& slot, uint32_t index, WSABUF (&parts)[SendQueue::kGather]) noexcept;
    template <class Sink>
    uint32_t reap(Sink& sink) noexcept;
    template <class Sink>
    void completed(Sink& sink, Operation& operation, DWORD octets) noexcept;
    template <class Sink>
    void connected(Sink& sink, uint32_t index) noexcept;
    template <class Sink>
    void received(Sink& sink, uint32_t index, Operation& operation, DWORD octets) noexcept;
    template <class Sink>
    void sent(Sink& sink, uint32_t index, Operation& operation, DWORD octets) noexcept;
    template <class Sink>
    void flush_dirty(Sink& sink) noexcept;
    template <class Sink>
    void flush(Sink& sink, uint32_t index) noexcept;
    template <class Sink>
    void take_sent(Sink& sink, uint32_t index, DWORD octets) noexcept;

    // endings.hpp
    void refuse(uint32_t index, int error) noexcept;
    void sending_broke(uint32_t index, int error) noexcept;
    void receive_ended(uint32_t index, int error) noexcept;
    void begin_closing(uint32_t index, IoError error) noexcept;
    void finish_closing(uint32_t index) noexcept;
    void let_go(Slot& slot) noexcept;

    Winsock winsock_;  // goes last: the sockets need it
    Arena arena_;
    Port port_;
    BufferPool buffers_;
    char* scratch_ = nullptr;  // where octets go that nobody looks at, of all connections at once
    bool skip_success_ = false, wanted_timer_ = false;
    std::span<Slot> slots_;
    std::span<Blocks> blocks_;
    engine::FollowingClock clock_;

    SendQueue queue_;
    Ring<Operation*> done_;    // receives that were done at once
    Ring<uint32_t> dirty_;     // connections with queued sends that may go out
    Ring<uint32_t> starving_;  // connections that found no free buffer
    Ring<uint32_t> over_;      // connections whose last event is due
    uint32_t open_slots_ = 0;
    uint64_t other_syscalls_ = 0;
    mutable engine::BackendCounters counters_;
    std::string error_;
};

inline Result<void> IocpBackend::open(const rl_value* values, const engine::WorkerEnv& env) {
    const Options options = Options::from(values);
    RL_TRY(winsock_.open());
    wanted_timer_ = options.high_resolution;
    if (const int error = port_.open(wanted_timer_ ? Port::Timer::high_resolution : Port::Timer::coarse); error != 0) {
        return failure(Error::resource, "CreateIoCompletionPort failed: " + os_text(error), error);
    }
    skip_success_ = options.skip_success;
    slots_ = arena_.array<Slot>(env.connections_max);
    blocks_ = arena_.array<Blocks>(env.connections_max);
    for (uint32_t i = 0; i < env.connections_max; ++i) blocks_[i].in.slot = blocks_[i].out.slot = i;
    queue_.open(arena_, env.connections_max, env.pipeline_depth);
    buffers_.open(arena_, env.connections_max + options.spare_buffers, options.buffer_size_for(env.connections_max));
    scratch_ = static_cast<char*>(arena_.allocate(kScratchBytes, 4096));
    done_.open(arena_, env.connections_max);
    dirty_.open(arena_, env.connections_max);
    starving_.open(arena_, env.connections_max);
    over_.open(arena_, size_t{env.connections_max} * 2);
    return {};
}

inline std::string IocpBackend::switches() const {
    std::string text = "gathered sends, one receive waiting per connection";
    if (skip_success_ && winsock_.handles_are_real(AF_INET)) text += ", successes unreported";
    text += port_.timer() == Port::Timer::high_resolution ? ", high-resolution timer" : ", ticks of 1 ms";
    return text;
}

inline std::string IocpBackend::downgrade() const {
    std::string text;
    if (wanted_timer_ && port_.timer() == Port::Timer::coarse) text = "no high-resolution timers before Windows 10 1803";
    if (skip_success_ && !winsock_.handles_are_real(AF_INET)) {
        text += text.empty() ? "" : "; ";
        text += "a layer over the TCP/IP provider wants every success reported";
    }
    return text;
}

inline void IocpBackend::connect(ConnId id, const engine::Endpoint& endpoint) noexcept {
    Slot& slot = slots_[id.slot];
    slot = Slot{.generation = id.generation, .dirty = slot.dirty, .starving = slot.starving};
    other_syscalls_ += 4;
    const int family = endpoint.address.ss_family;
    int error = 0;
    slot.socket = open_socket(family, error);
    if (slot.socket == INVALID_SOCKET) return refuse(id.slot, error);
    slot.silent = skip_success_ && winsock_.handles_are_real(family) &&
                  ::SetFileCompletionNotificationModes(reinterpret_cast<HANDLE>(slot.socket),
                                                       FILE_SKIP_COMPLETION_PORT_ON_SUCCESS | FILE_SKIP_SET_EVENT_ON_HANDLE) != FALSE;
    if (!port_.attach(slot.socket)) return refuse(id.slot, ::WSAGetLastError());
    Operation& operation = blocks_[id.slot].in;
    operation.begin(Op::connect);
    const bool at_once = winsock_.connect(slot.socket, endpoint, &operation.overlapped);
    if (!at_once && (error = ::WSAGetLastError()) != WSA_IO_PENDING) return refuse(id.slot, error);
    slot.state = State::connecting;
    slot.pending = 1;
    ++open_slots_;
    if (at_once && slot.silent) done_.push(&operation);
}

inline void IocpBackend::close(ConnId id) noexcept {
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
engine::PollResult IocpBackend::poll(Sink& sink, const engine::WaitSpec& wait) noexcept {
    engine::PollResult result;
    flush_dirty(sink);
    feed_starving();
    port_.begin_turn();
    const bool works = over_.empty() && done_.empty() ? wait_for_events(wait, result) : port_.look();
    sink.on_wake();
    if (!works) {
        error_ = "GetQueuedCompletionStatusEx failed: " + os_text(port_.error());
        result.broken = true;
        return result;
    }
    result.events = reap(sink) + backends::deliver_last_events(over_, slots_, sink);
    return result;
}

// HOT: walks the completions once, then what was done at once before; what is done at once meanwhile comes with the next turn.
template <class Sink>
uint32_t IocpBackend::reap(Sink& sink) noexcept {
    const uint32_t reported = port_.count();
    const auto at_once = static_cast<uint32_t>(done_.size());
    for (uint32_t i = 0; i < reported; ++i) {
        if (i + kAhead < reported) {
            // With a thousand connections their state is not in the first cache when its turn comes.
            const uint32_t index = port_.completion(i + kAhead)->slot;
            __builtin_prefetch(&slots_[index]);
            if constexpr (requires { sink.prefetch(index); }) sink.prefetch(index);
        }
        completed(sink, *port_.completion(i), port_.octets(i));
    }
    for (uint32_t i = 0; i < at_once; ++i) {
        Operation& operation = *done_.pop();
        completed(sink, operation, operation.octets);
    }
    return reported + at_once;
}

template <class Sink>
void IocpBackend::completed(Sink& sink, Operation& operation, DWORD octets) noexcept {
    --slots_[operation.slot].pending;
    switch (operation.op) {
        case Op::receive:
        case Op::discard:
            received(sink, operation.slot, operation, octets);
            break;
        case Op::send:
            sent(sink, operation.slot, operation, octets);
            break;
        case Op::connect:
            connected(sink, operation.slot);
            break;
    }
    flush_dirty(sink);
}

template <class Sink>
void IocpBackend::connected(Sink& sink, uint32_t index) noexcept {
    Slot& slot = slots_[index];
    if (slot.state == State::closing) return finish_closing(index);
    const ConnId id{index, slot.generation};
    Operation& operation = blocks_[index].in;
    int error = operation.succeeded() ? 0 : failure_of(slot.socket, operation);
    ++other_syscalls_;
    if (error == 0 && !settle_connected(slot.socket)) error = ::WSAGetLastError();
    if (error != 0) {
        let_go(slot);
        slot.state = State::none;
        sink.on_open(id, error_of(error));
        return;
    }
    slot.state = State::open;
    arm_receive(index);
    sink.on_open(id, IoError::none);
}

template <class Sink>
void IocpBackend::drain(Sink& sink, uint64_t deadline_ns) noexcept {
    for (uint32_t i = 0; i < slots_.size(); ++i) close({i, slots_[i].generation});
    while ((open_slots_ != 0 || !over_.empty()) && now() < deadline_ns) {
        if (poll(sink, {.deadline_ns = deadline_ns}).broken) return;
    }
}

}  // namespace rl::iocp

#include "backends/iocp/endings.hpp"
#include "backends/iocp/transfers.hpp"
#include "backends/iocp/waiting.hpp"
