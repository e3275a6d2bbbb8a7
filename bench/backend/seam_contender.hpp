// A contender that is a backend of ringload, driven through the seam as the engine drives it. No engine, no parsing.
#pragma once

#include <memory>
#include <utility>

#include "bench/backend/contender.hpp"
#include "core/base/clock.hpp"
#include "core/engine/backend_concept.hpp"
#include "core/module/option_binding.hpp"

namespace rl::bench {

template <engine::Backend B>
class SeamContender final : public Contender {
  public:
    SeamContender(std::string name, Shape shape, Waiting waiting, module::BoundOptions options)
        : Contender(std::move(name), shape, waiting), options_(std::move(options)), sink_{*this} {}

    bool open(const engine::Endpoint& peer) override {
        peer_ = peer;
        backend_ = std::make_unique<B>();
        auto opened = backend_->open(options_.data(), {.connections_max = shape().connections, .pipeline_depth = shape().depth});
        if (!opened) return fail(opened.error().text);
        const uint64_t limit = monotonic_ns() + 10'000'000'000;
        for (uint32_t slot = 0; slot < shape().connections; ++slot) backend_->connect({slot, 1}, peer_);
        while (open_ != shape().connections) {
            uint32_t events = 0;
            if (!poll(Wait::sleep, events) || volley().now > limit) return fail("not every connection was opened");
        }
        return true;
    }
    void close() override {
        closing_ = true;
        backend_->drain(sink_, backend_->now() + 2'000'000'000);
        backend_.reset();
    }
    std::string switches() const override { return backend_->switches(); }

  protected:
    bool poll(Wait wait, uint32_t& events) override {
        engine::WaitSpec spec{.deadline_ns = 0};
        if (wait == Wait::sleep) {
            spec = {.deadline_ns = backend_->now() + 50'000'000, .min_events = waiting().events, .batch_window_ns = waiting().window_ns};
        }
        const engine::PollResult result = backend_->poll(sink_, spec);
        events = result.events;
        return !result.broken && !broken_;
    }
    // The octets never change; small ones are settled, which is how the engine sends its requests.
    void send(uint32_t slot, uint32_t messages) override {
        const uint32_t octets = volley().leave(slot, messages);
        backend_->send({slot, 1}, {.head = reinterpret_cast<const uint8_t*>(volley().octets()),
                                   .head_len = octets,
                                   .settled = shape().size * shape().depth <= engine::kSettledBytes});
    }
    uint64_t syscalls() const override { return backend_->counters().syscalls; }

  private:
    struct Sink {
        SeamContender& owner;

        void on_wake() noexcept { owner.volley().now = monotonic_ns(); }
        void on_open(engine::ConnId, engine::IoError error) noexcept {
            owner.broken_ = owner.broken_ || error != engine::IoError::none;
            ++owner.open_;
        }
        engine::Keep on_bytes(engine::ConnId id, std::span<const char> octets, engine::BufferToken) noexcept {
            if (const uint32_t again = owner.volley().arrive(id.slot, octets.size()); again != 0) owner.send(id.slot, again);
            return engine::Keep::release;
        }
        void on_skipped(engine::ConnId, uint64_t) noexcept {}
        void on_sent(engine::ConnId, uint32_t) noexcept {}
        void on_closed(engine::ConnId, engine::IoError) noexcept { owner.broken_ = owner.broken_ || !owner.closing_; }
    };

    module::BoundOptions options_;
    engine::Endpoint peer_;
    std::unique_ptr<B> backend_;
    Sink sink_;
    uint32_t open_ = 0;
    bool broken_ = false, closing_ = false;
};

}  // namespace rl::bench
