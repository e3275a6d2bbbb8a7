// One backend under test with its peers, whichever they are; the fixture of all conformance tests.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "tests/conformance/backends_under_test.hpp"
#include "tests/conformance/recorder.hpp"

namespace rl::conformance {

inline constexpr uint64_t kMs = 1'000'000;
inline constexpr uint32_t kDepth = 64;  // most sends of one connection that a test leaves unreported

template <class B>
class Rig {
  public:
    static constexpr bool kVirtualTime = Under<B>::kVirtualTime;

    // Opens the backend; if that is not possible here, `unavailable` says why and the test is to be skipped.
    explicit Rig(uint32_t connections_max = 64) : generations_(connections_max, 0), endpoints_(connections_max) {
        const engine::WorkerEnv env{.connections_max = connections_max, .pipeline_depth = kDepth, .worker = 0, .seed = 1};
        if (auto opened = backend.open(under_.values(), env); !opened) unavailable = opened.error().text;
    }
    ~Rig() {
        if (unavailable.empty()) close_everything();
    }

    B backend;
    Recorder sink;
    std::string unavailable;

    PeerHost& host() { return under_.host(); }

    // Starts a connection in this slot, with the next generation.
    ConnId connect(const engine::Endpoint& endpoint, uint32_t slot = 0) {
        const ConnId id{slot, generations_[slot]++};
        sink.started(id);
        endpoints_[slot] = endpoint;
        backend.connect(id, endpoints_[slot]);
        return id;
    }
    ConnId connect_open(const engine::Endpoint& endpoint, uint32_t slot = 0) {
        const ConnId id = connect(endpoint, slot);
        until([&] { return sink.of(id).opens == 1; });
        EXPECT_EQ(sink.of(id).open_error, IoError::none);
        return id;
    }
    void send(ConnId id, std::string_view head, std::string_view body = {}, bool settled = false) {
        engine::SendRef ref;
        ref.head = reinterpret_cast<const uint8_t*>(head.data());
        ref.head_len = static_cast<uint32_t>(head.size());
        ref.body = reinterpret_cast<const uint8_t*>(body.data());
        ref.body_len = static_cast<uint32_t>(body.size());
        ref.settled = settled;
        if (!settled) ++sink.of(id).sends;
        backend.send(id, ref);
    }
    void skip(ConnId id, uint64_t octets) {
        sink.of(id).skip_asked += octets - sink.of(id).skip_left;
        sink.of(id).skip_left = octets;
        backend.skip(id, octets);
    }
    engine::PollResult poll(uint64_t wait_ns = 50 * kMs) { return poll_for({.deadline_ns = backend.now() + wait_ns}); }
    engine::PollResult poll_for(const engine::WaitSpec& wait) {
        const uint64_t wakes = sink.wakes;
        const engine::PollResult result = backend.poll(sink, wait);
        EXPECT_EQ(sink.wakes, wakes + 1) << "on_wake comes once per poll";
        EXPECT_FALSE(result.broken) << backend.error();
        return result;
    }
    // Polls until the predicate holds. The limit is no figure of the seam: it only ends a test that hangs.
    template <class Predicate>
    bool until(Predicate&& holds, uint64_t limit_ns = 20'000 * kMs) {
        const uint64_t end = backend.now() + limit_ns;
        while (!holds()) {
            if (backend.now() >= end) {
                ADD_FAILURE() << "gave up waiting";
                return false;
            }
            if (poll(20 * kMs).broken) return false;
        }
        return true;
    }
    // Waits for what the peer saw; peers of real backends run by themselves.
    template <class Predicate>
    bool until_reported(size_t connections, Predicate&& holds) {
        return until([&] {
            const std::vector<PeerReport> reports = host().reports();
            if (reports.size() < connections) return false;
            for (const PeerReport& report : reports) {
                if (!holds(report)) return false;
            }
            return true;
        });
    }
    void close_everything() {
        if (std::exchange(drained_, true)) return;
        backend.drain(sink, backend.now() + 20'000 * kMs);
    }

  private:
    Under<B> under_;
    std::vector<uint32_t> generations_;
    std::vector<engine::Endpoint> endpoints_;  // by slot: they stay until the connect is over
    bool drained_ = false;
};

template <class B>
class Conformance : public ::testing::Test {};

}  // namespace rl::conformance

// Makes the rig of a test, or skips where this machine cannot run the backend.
#define RL_RIG(...)                                     \
    ::rl::conformance::Rig<TypeParam> rig{__VA_ARGS__}; \
    if (!rig.unavailable.empty()) GTEST_SKIP() << rig.unavailable
