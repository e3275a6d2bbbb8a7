// A request source that counts what it hands out, and a pacer on the timeline k/R, for simulated runs.
//
// Octets of a request live on the heap and are overwritten and freed as soon as its cookie comes back, so that a worker or network that
// still reads them is found by the network's digests and by the address sanitizer.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "ringload/plugin.h"
#include "tests/sim/scenario.hpp"

namespace rl::sim {

class TestSource {
  public:
    TestSource(const Scenario& scenario, uint64_t seed) : scenario_(scenario), random_(seed) {
        ops_.size = sizeof ops_;
        ops_.flags = (scenario.is_static ? uint32_t{RL_SOURCE_STATIC} : 0) |
                     (scenario.wants_responses ? uint32_t{RL_SOURCE_WANTS_RESPONSES} : 0) |
                     (scenario.source_ends_after != UINT64_MAX ? uint32_t{RL_SOURCE_FINITE} : 0);
        ops_.worker_open = [](void* shared, const rl_worker*, void** self, rl_error*) { return *self = shared, 0; };
        ops_.fill = [](void* self, rl_request* out, uint32_t max) { return me(self).fill(out, max); };
        ops_.recycle = [](void* self, const uint64_t* cookies, uint32_t n) { me(self).recycle(cookies, n); };
        ops_.responses = [](void* self, const rl_response* in, uint32_t n) { me(self).responses(in, n); };
        ops_.worker_close = [](void*) {};
    }
    const rl_source_ops& ops() const noexcept { return ops_; }

    uint64_t handed_out = 0, returned = 0;
    uint64_t told = 0, told_failed = 0;

  private:
    struct Octets {
        std::string head, body;
        bool told = false;
    };
    static TestSource& me(void* self) { return *static_cast<TestSource*>(self); }

    int32_t fill(rl_request* out, uint32_t max) {
        if (scenario_.is_static) return fill_static(out, max);
        if (handed_out >= scenario_.source_ends_after) return RL_END;
        if (random_.chance(scenario_.source_has_nothing)) return 0;
        const uint64_t n = std::min({uint64_t{max}, scenario_.source_ends_after - handed_out, random_.between(1, 64)});
        for (uint64_t i = 0; i < n; ++i) {
            auto octets = std::make_unique<Octets>();
            const bool post = random_.chance(scenario_.with_body), head = !post && random_.chance(0.1);
            const std::string path = "/" + std::to_string(handed_out);
            octets->head = (post ? "POST " : head ? "HEAD " : "GET ") + path + " HTTP/1.1\r\nHost: sim\r\n";
            if (post) octets->body.assign(random_.chance(0.2) ? random_.between(1, 60'000) : random_.between(1, 500), 'b');
            if (post) octets->head += "Content-Length: " + std::to_string(octets->body.size()) + "\r\n";
            octets->head += "\r\n";
            const uint16_t idempotent = post ? 0 : RL_REQUEST_IDEMPOTENT;
            out[i] = request_of(*octets, handed_out, static_cast<uint16_t>(idempotent | (head ? RL_REQUEST_HEAD : 0)));
            out_.emplace(handed_out++, std::move(octets));
        }
        return static_cast<int32_t>(n);
    }
    int32_t fill_static(rl_request* out, uint32_t max) {
        static const std::string one = "GET / HTTP/1.1\r\nHost: sim\r\n\r\n";
        for (uint32_t i = 0; i < max; ++i) static_octets_.head += one;
        for (uint32_t i = 0; i < max; ++i) {
            out[i] = request_of(static_octets_, 0, RL_REQUEST_IDEMPOTENT);
            out[i].head += i * one.size();
            out[i].head_len = static_cast<uint32_t>(one.size());
        }
        return static_cast<int32_t>(max);
    }
    static rl_request request_of(const Octets& octets, uint64_t cookie, uint16_t flags) {
        rl_request request{};
        request.head = reinterpret_cast<const uint8_t*>(octets.head.data());
        request.body = reinterpret_cast<const uint8_t*>(octets.body.data());
        request.head_len = static_cast<uint32_t>(octets.head.size());
        request.body_len = static_cast<uint32_t>(octets.body.size());
        request.cookie = cookie;
        request.due_ns = RL_DUE_NONE;
        request.flags = flags;
        return request;
    }
    void recycle(const uint64_t* cookies, uint32_t n) {
        for (uint32_t i = 0; i < n; ++i) {
            const auto found = out_.find(cookies[i]);
            if (found == out_.end()) {
                ADD_FAILURE() << "cookie " << cookies[i] << " came back twice, or was never handed out";
                continue;
            }
            std::fill(found->second->head.begin(), found->second->head.end(), '?');
            std::fill(found->second->body.begin(), found->second->body.end(), '?');
            out_.erase(found);
            ++returned;
        }
    }
    void responses(const rl_response* in, uint32_t n) {
        for (uint32_t i = 0; i < n; ++i) {
            ++told;
            told_failed += in[i].status == 0;
            EXPECT_EQ(in[i].status == 0, in[i].error != 0);
            if (scenario_.is_static) continue;
            const auto found = out_.find(in[i].cookie);
            if (found == out_.end()) {
                ADD_FAILURE() << "an answer for cookie " << in[i].cookie << ", which is not out";
                continue;
            }
            EXPECT_FALSE(found->second->told) << "two answers for cookie " << in[i].cookie;
            found->second->told = true;
        }
    }

    const Scenario& scenario_;
    Random random_;
    rl_source_ops ops_{};
    std::unordered_map<uint64_t, std::unique_ptr<Octets>> out_;
    Octets static_octets_;
};

class TestPacer {
  public:
    explicit TestPacer(double rate) : rate_(rate) {
        ops_.size = sizeof ops_;
        ops_.flags = rate == 0 ? uint32_t{RL_PACER_UNLIMITED} : 0;
        ops_.worker_open = [](void* shared, const rl_worker*, void** self, rl_error*) { return *self = shared, 0; };
        ops_.grant = [](void* self, uint64_t now, uint64_t* due, uint32_t max, uint64_t* next) {
            auto& me = *static_cast<TestPacer*>(self);
            uint32_t n = 0;
            while (n < max && me.due_ns(me.granted) <= now) due[n++] = me.due_ns(me.granted++);
            *next = me.due_ns(me.granted);
            return static_cast<int32_t>(n);
        };
        ops_.scheduled = [](void* self, uint64_t end) {
            const auto& me = *static_cast<const TestPacer*>(self);
            uint64_t k = 0;
            while (me.due_ns(k) < end) ++k;
            return k;
        };
        ops_.worker_close = [](void*) {};
    }
    const rl_pacer_ops& ops() const noexcept { return ops_; }
    uint64_t due_ns(uint64_t slot) const noexcept { return static_cast<uint64_t>(static_cast<double>(slot) * 1e9 / rate_); }
    uint64_t granted = 0;

  private:
    double rate_;
    rl_pacer_ops ops_{};
};

}  // namespace rl::sim
