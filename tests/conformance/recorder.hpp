// The sink of conformance tests: keeps what each connection saw, and fails the test as soon as an event breaks a rule of the seam.
//
// Rules judged on every event of every test: an event names a connection that was started and has not had its last event; on_open comes
// once, before all others; octets are those of Stream::to_client at their position; on_skipped never exceeds what was asked for;
// on_sent never exceeds what was sent; on_wake comes once per poll.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>

#include "core/engine/backend_concept.hpp"
#include "tests/conformance/script.hpp"

namespace rl::conformance {

using engine::BufferToken;
using engine::ConnId;
using engine::IoError;
using engine::Keep;

struct Seen {
    uint32_t opens = 0, closes = 0;
    IoError open_error = IoError::none, close_error = IoError::none;
    uint64_t bytes = 0, skipped = 0;         // octets by on_bytes, octets by on_skipped
    uint64_t skip_asked = 0, skip_left = 0;  // in sum; of those not yet passed
    uint64_t sent = 0, sends = 0;            // refs reported; refs sent that were not settled
    bool over = false;                       // closed, or failed to open
    uint64_t position() const noexcept { return bytes + skipped; }
};

class Recorder {
  public:
    // What a test does inside events; unset means nothing, and Keep::release.
    std::function<void(ConnId, IoError)> opened;
    std::function<Keep(ConnId, std::span<const char>, BufferToken)> bytes;
    std::function<void(ConnId)> skipped, sent, closed;
    bool patterned = true;  // octets are those of a script

    static constexpr uint64_t key(ConnId id) noexcept { return uint64_t{id.generation} << 32 | id.slot; }
    Seen& of(ConnId id) { return seen_[key(id)]; }
    void started(ConnId id) { seen_[key(id)] = {}; }
    uint64_t opens = 0, open_failures = 0, closes = 0, events = 0, wakes = 0;

    void on_wake() noexcept { ++wakes; }
    void on_open(ConnId id, IoError error) noexcept {
        Seen& seen = living(id);
        EXPECT_EQ(seen.opens++, 0u) << "on_open came twice";
        EXPECT_EQ(seen.position(), 0u) << "octets came before on_open";
        seen.open_error = error;
        seen.over = error != IoError::none;
        ++(seen.over ? open_failures : opens);
        if (opened) opened(id, error);
    }
    Keep on_bytes(ConnId id, std::span<const char> octets, BufferToken token) noexcept {
        Seen& seen = opened_before(id);
        EXPECT_GT(octets.size(), 0u);
        if (patterned) {
            EXPECT_TRUE(octets_match(Stream::to_client, seen.position(), octets))
                << octets.size() << " octets at " << seen.position() << " are not those of the stream";
        }
        seen.bytes += octets.size();
        seen.skip_left -= std::min<uint64_t>(seen.skip_left, octets.size());
        return bytes ? bytes(id, octets, token) : Keep::release;
    }
    void on_skipped(ConnId id, uint64_t octets) noexcept {
        Seen& seen = opened_before(id);
        EXPECT_GT(octets, 0u);
        EXPECT_LE(octets, seen.skip_left) << "more was skipped than was asked for";
        seen.skipped += octets;
        seen.skip_left -= std::min(seen.skip_left, octets);
        if (skipped) skipped(id);
    }
    void on_sent(ConnId id, uint32_t refs) noexcept {
        Seen& seen = opened_before(id);
        seen.sent += refs;
        EXPECT_LE(seen.sent, seen.sends) << "more sends were reported than were made";
        if (sent) sent(id);
    }
    void on_closed(ConnId id, IoError error) noexcept {
        Seen& seen = living(id);
        ++seen.closes;
        seen.close_error = error;
        seen.over = true;
        ++closes;
        if (closed) closed(id);
    }

  private:
    Seen& living(ConnId id) {
        ++events;
        const auto found = seen_.find(key(id));
        if (found == seen_.end()) {
            ADD_FAILURE() << "event for slot " << id.slot << " generation " << id.generation << ", which was never started";
            return seen_[key(id)];
        }
        EXPECT_FALSE(found->second.over) << "event after the last one of slot " << id.slot << " generation " << id.generation;
        return found->second;
    }
    Seen& opened_before(ConnId id) {
        Seen& seen = living(id);
        EXPECT_EQ(seen.opens, 1u) << "event before on_open";
        return seen;
    }

    std::unordered_map<uint64_t, Seen> seen_;
};

}  // namespace rl::conformance
