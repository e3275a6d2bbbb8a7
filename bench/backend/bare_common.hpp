// What both bare loops share: options, prebuilt requests, connections, and counting by octets.
//
// One thread. The loop owns the descriptors from connect_all() on. Failures end the program: a bench has nobody to report to.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace rl::bench {

enum class Engine : uint8_t { io_uring, epoll };

struct BareOptions {
    Engine engine = Engine::io_uring;
    uint32_t connections = 10;
    uint32_t pipeline = 1;  // requests in flight on each connection, 1..kPipelineMax
    double seconds = 10;
    uint16_t port = 8080;
    uint64_t answer_octets = 0;  // head and body of every answer; 0: found out by asking once
    uint64_t spin_us = 100;      // look for events so long before sleeping
};
inline constexpr uint32_t kPipelineMax = 64;
inline constexpr uint64_t kSleepMs = 100;  // so often a sleeping loop looks at the clock and at the stop flag

// Prints what could not be done and why, and exits with 1.
[[noreturn]] void give_up(const char* what, int os_error);

inline uint64_t now_ns() { return static_cast<uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()); }

bool interrupted();  // SIGINT or SIGTERM came

// As many copies of one GET as the deepest pipeline needs, so that k requests are one send.
struct Requests {
    explicit Requests(uint16_t port);
    std::string octets;
    uint32_t one = 0;  // length of a single request
};

// Blocking connects, one after another; descriptors are left blocking and without delay of small writes.
std::vector<int> connect_all(const BareOptions& options);

// Asks once on a connection of its own and counts until nothing more comes.
uint64_t measure_answer(const BareOptions& options, const Requests& requests);

// How far each connection is within its current answer. No parsing: an answer is over when so many octets have come.
class AnswerCount {
  public:
    AnswerCount(uint32_t connections, uint64_t answer_octets) : answer_octets_(answer_octets), have_(connections) {}

    // HOT: answers that these octets complete.
    uint32_t take(uint32_t slot, uint64_t octets) {
        uint64_t have = have_[slot] + octets;
        uint32_t complete = 0;
        while (have >= answer_octets_) {
            have -= answer_octets_;
            ++complete;
        }
        have_[slot] = have;
        answers_ += complete;
        octets_ += octets;
        return complete;
    }
    uint64_t answers() const { return answers_; }
    uint64_t octets() const { return octets_; }

  private:
    uint64_t answer_octets_;
    std::vector<uint64_t> have_;
    uint64_t answers_ = 0, octets_ = 0;
};

// Each runs until the time is up or a signal came.
void run_bare_epoll(const BareOptions& options, const Requests& requests, const std::vector<int>& sockets, AnswerCount& count);
void run_bare_uring(const BareOptions& options, const Requests& requests, const std::vector<int>& sockets, AnswerCount& count);

}  // namespace rl::bench
