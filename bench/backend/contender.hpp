// One way of doing I/O in the comparison of backends: it sends messages to the echoing peer, slice by slice, and adds up what they cost.
//
// One thread drives all contenders in turn. Between its slices a contender is quiet: nothing of it is under way, so that it costs the
// others nothing. What a slice measures begins after a warm-up and ends before the messages that are still under way are awaited.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/engine/endpoint.hpp"
#include "core/stats/histogram.hpp"

namespace rl::bench {

struct Shape {
    uint32_t connections = 100, size = 150, depth = 1;
};

// How a contender waits when nothing is there: spins for so long, sleeps after that, and for how many events at once.
struct Waiting {
    uint64_t spin_ns = 100'000;
    uint32_t events = 1;
    uint64_t window_ns = 0;
};

struct Cost {
    uint64_t messages = 0, wall_ns = 0, cpu_ns = 0;
    uint64_t idle_ns = 0;  // of the processor's time: polls that neither sent nor brought anything
    uint64_t syscalls = 0;

    double cpu_us() const { return messages == 0 ? 0 : static_cast<double>(cpu_ns) / 1e3 / static_cast<double>(messages); }
    double work_us() const { return messages == 0 ? 0 : static_cast<double>(cpu_ns - idle_ns) / 1e3 / static_cast<double>(messages); }
};

// The stamps of messages under way, oldest first for each connection, and what becomes of octets that come back.
class Volley {
  public:
    explicit Volley(Shape shape) : shape_(shape), octets_(size_t{shape.size} * shape.depth, 'e'), lines_(shape.connections) {
        for (Line& line : lines_) line.stamps.resize(shape.depth);
    }

    const char* octets() const { return octets_.data(); }
    uint64_t now = 0;      // set once for each poll
    bool sending = false;  // a message that came back goes out again
    bool measuring = false;

    // HOT. Stamps so many messages that go out on this connection; returns their octets.
    uint32_t leave(uint32_t slot, uint32_t count) {
        Line& line = lines_[slot];
        for (uint32_t i = 0; i < count; ++i) line.stamps[(line.head + line.count++) % shape_.depth] = now;
        under_way_ += count;
        ++sends_;
        return shape_.size * count;
    }
    // HOT. Octets that came back: how many messages are to go out on this connection now.
    uint32_t arrive(uint32_t slot, uint64_t octets) {
        Line& line = lines_[slot];
        line.octets += octets;
        uint32_t whole = 0;
        for (; line.octets >= shape_.size && line.count != 0; line.octets -= shape_.size, ++whole) {
            if (measuring) latencies.record(now - line.stamps[line.head]);
            line.head = (line.head + 1) % shape_.depth;
            --line.count;
        }
        under_way_ -= whole;
        if (measuring) messages += whole;
        return sending ? whole : 0;
    }
    uint64_t under_way() const { return under_way_; }
    uint64_t sends() const { return sends_; }

    stats::Histogram latencies;
    uint64_t messages = 0;  // while measuring

  private:
    struct Line {
        std::vector<uint64_t> stamps;
        uint32_t head = 0, count = 0;
        uint64_t octets = 0;
    };
    Shape shape_;
    std::string octets_;
    std::vector<Line> lines_;
    uint64_t under_way_ = 0, sends_ = 0;
};

class Contender {
  public:
    Contender(std::string name, Shape shape, Waiting waiting) : name_(std::move(name)), shape_(shape), waiting_(waiting), volley_(shape) {}
    virtual ~Contender() = default;
    Contender(const Contender&) = delete;
    Contender& operator=(const Contender&) = delete;

    // Connects. False: it cannot take part, and problem() says why.
    virtual bool open(const engine::Endpoint& peer) = 0;
    virtual void close() = 0;
    virtual std::string switches() const = 0;

    // False: a connection broke or fell silent.
    bool run_slice(uint64_t warm_ns, uint64_t slice_ns);

    const std::string& name() const { return name_; }
    const std::string& problem() const { return problem_; }
    const std::vector<Cost>& slices() const { return slices_; }
    const stats::Histogram& latencies() const { return volley_.latencies; }

  protected:
    enum class Wait : uint8_t { none, sleep };
    // Submits what is queued, takes what is there; sleeps first, at most 50 ms, if asked to. False: broken. Sets volley().now.
    virtual bool poll(Wait wait, uint32_t& events) = 0;
    virtual void send(uint32_t slot, uint32_t messages) = 0;
    virtual uint64_t syscalls() const = 0;

    bool fail(std::string why) {
        problem_ = std::move(why);
        return false;
    }
    Volley& volley() { return volley_; }
    const Shape& shape() const { return shape_; }
    const Waiting& waiting() const { return waiting_; }

  private:
    bool turn();
    template <class Done>
    bool turn_until(Done done);

    std::string name_, problem_;
    Shape shape_;
    Waiting waiting_;
    Volley volley_;
    std::vector<Cost> slices_;
    uint64_t idle_since_ = 0;  // 0: something happened in the last turn
    uint64_t sends_seen_ = 0;
    uint64_t idle_ns_ = 0;
};

}  // namespace rl::bench
