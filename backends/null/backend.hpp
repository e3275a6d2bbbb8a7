// The null backend: connects at once, answers every send at once from memory, touches no kernel. Its requests per second are the
// ceiling of the engine. It knows nothing of HTTP but one answer; each head span with a blank line in it counts as a request.
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>

#include "core/base/arena.hpp"
#include "core/base/ring.hpp"
#include "core/engine/backend_concept.hpp"
#include "core/engine/following_clock.hpp"

namespace rl::null {

class NullBackend {
  public:
    static const char* name() { return "null"; }

    Result<void> open(const rl_value*, const engine::WorkerEnv& env) {
        slots_ = arena_.array<Slot>(env.connections_max);
        ready_.open(arena_, size_t{env.connections_max} * 2);
        const std::string_view one = kAnswer;
        answers_ = arena_.array<char>(one.size() * kAnswersMost);
        for (size_t i = 0; i < kAnswersMost; ++i) std::memcpy(answers_.data() + i * one.size(), one.data(), one.size());
        return {};
    }
    void connect(engine::ConnId id, const engine::Endpoint&) noexcept {
        slots_[id.slot] = {.generation = id.generation, .state = State::opening};
        mark(id.slot);
    }
    void send(engine::ConnId id, engine::SendRef ref) noexcept {
        Slot& slot = slots_[id.slot];
        if (slot.state != State::open || slot.generation != id.generation) return;
        if (request_bytes_ == 0) learn(ref);
        slot.octets += uint64_t{ref.head_len} + ref.body_len;
        slot.unconfirmed += ref.settled ? 0 : 1;
        mark(id.slot);
    }
    void skip(engine::ConnId, uint64_t) noexcept {}
    void close(engine::ConnId id) noexcept {
        Slot& slot = slots_[id.slot];
        if (slot.generation != id.generation || slot.state == State::none) return;
        slot.state = State::closing;
        mark(id.slot);
    }
    void release(engine::BufferToken) noexcept {}
    uint64_t now() noexcept { return clock_.now(); }
    std::string switches() const { return "answers from memory"; }
    std::string error() const { return {}; }
    const engine::BackendCounters& counters() const noexcept { return counters_; }

    template <class Sink>
    engine::PollResult poll(Sink& sink, const engine::WaitSpec& wait) noexcept {
        clock_.follow_and_now();
        while (ready_.empty() && wait.min_events != 0 && clock_.now() < wait.deadline_ns) {
        }
        sink.on_wake();
        uint32_t events = 0;
        for (size_t left = ready_.size(); left != 0; --left, ++events) deliver(sink, ready_.pop());
        return {.events = events};
    }
    template <class Sink>
    void drain(Sink& sink, uint64_t) noexcept {
        for (uint32_t i = 0; i < slots_.size(); ++i) close({i, slots_[i].generation});
        while (!ready_.empty()) deliver(sink, ready_.pop());
    }

  private:
    static constexpr std::string_view kAnswer =
        "HTTP/1.1 200 OK\r\nServer: null\r\nDate: Mon, 30 Nov 2026 14:04:48 GMT\r\nContent-Type: text/plain\r\n"
        "Connection: keep-alive\r\nContent-Length: 2\r\n\r\nok";
    static constexpr size_t kAnswersMost = 64;

    enum class State : uint8_t { none, opening, open, closing };
    struct Slot {
        uint32_t generation = 0;
        State state = State::none;
        bool marked = false;
        uint32_t unconfirmed = 0;
        uint64_t octets = 0;  // of requests that were not answered yet
    };

    void mark(uint32_t index) noexcept {
        if (slots_[index].marked) return;
        slots_[index].marked = true;
        ready_.push(index);
    }
    // All requests of a run on this backend are alike: the first tells how long one is.
    void learn(const engine::SendRef& ref) noexcept {
        const std::string_view head(reinterpret_cast<const char*>(ref.head), ref.head_len);
        const size_t end = head.find("\r\n\r\n");
        request_bytes_ = (end == std::string_view::npos ? head.size() : end + 4) + ref.body_len;
    }

    template <class Sink>
    void deliver(Sink& sink, uint32_t index) noexcept {
        Slot& slot = slots_[index];
        slot.marked = false;
        const engine::ConnId id{index, slot.generation};
        if (slot.state == State::opening) {
            slot.state = State::open;
            sink.on_open(id, engine::IoError::none);
        } else if (slot.state == State::closing) {
            slot.state = State::none;
            sink.on_closed(id, engine::IoError::none);
        } else if (slot.state == State::open) {
            if (const uint32_t refs = slot.unconfirmed; refs != 0) {
                slot.unconfirmed = 0;
                sink.on_sent(id, refs);
            }
            const uint64_t answers = slot.octets / request_bytes_;
            slot.octets -= answers * request_bytes_;
            if (answers != 0) (void)sink.on_bytes(id, {answers_.data(), kAnswer.size() * answers}, {});
        }
    }

    std::span<Slot> slots_;
    std::span<char> answers_;
    Ring<uint32_t> ready_;
    uint64_t request_bytes_ = 0;
    engine::FollowingClock clock_;
    engine::BackendCounters counters_;
    Arena arena_;
};

}  // namespace rl::null
