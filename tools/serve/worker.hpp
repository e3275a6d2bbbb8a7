// One thread of the target: its own listening socket, poller, connections, timers and statistics.
//
// worker.cpp has the loop, intake.cpp turns octets into requests, outflow.cpp turns answers into octets. Everything here
// runs on the worker's own thread but wake().
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tools/serve/cells.hpp"
#include "tools/serve/connection.hpp"
#include "tools/serve/dice.hpp"
#include "tools/serve/options.hpp"
#include "tools/serve/poller.hpp"
#include "tools/serve/stats.hpp"

namespace rl::serve {

int64_t clock_ns();  // CLOCK_MONOTONIC

// What the workers share. Outlives them.
struct Shared {
    explicit Shared(const Options& chosen) : options(chosen), board(chosen.threads, chosen.record_arrivals) {}

    const Options& options;
    Board board;
    Flag stop;
    Flag frozen;
    SharedCount answers_planned;  // counts only with --every
    SharedCount connections_served;
};

class Worker {
  public:
    // OWNS: the listening socket.
    Worker(Shared& shared, unsigned index, int listener);
    ~Worker();
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    // The system's error number, or 0: the poller is made in the constructor.
    int setup_error() const noexcept { return setup_error_; }
    void run();
    // Makes a sleeping worker look at the shared flags. Any thread.
    void wake() noexcept { poller_.wake(); }

  private:
    struct TextHash {
        using is_transparent = void;
        size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
    };
    template <class Value>
    using ByText = std::unordered_map<std::string, Value, TextHash, std::equal_to<>>;

    struct Timer {
        int64_t due_ns;
        Connection* connection;
        uint32_t generation;
        bool operator<(const Timer& other) const noexcept { return due_ns > other.due_ns; }  // earliest on top of a heap
    };
    struct Handle {
        Connection* connection;
        uint32_t generation;
    };
    enum class Drained : uint8_t { by_short_read, by_would_block };

    // worker.cpp
    int wait();
    void accept_all();
    void open(int fd);
    void on_event(Connection& c, uint32_t events);
    void on_timer(Connection& c);
    void set_timer(Connection& c, int64_t due_ns);
    void expire_timers();
    void follow_freeze();
    void resume_ready();
    void close(Connection& c);
    void reset(Connection& c);
    void bury_closed();
    void uncount(Connection& c);

    // intake.cpp
    void receive(Connection& c, Drained drained);
    void consume(Connection& c, std::string_view fresh);
    void end_input(Connection& c);
    size_t take_request(Connection& c, std::string_view input);
    size_t take_learned(Connection& c, const Learned& learned, size_t count);
    size_t take_body(Connection& c, std::string_view input);
    void begin_request(Connection& c, const RequestHead& head, std::string_view octets);
    void end_request(Connection& c, std::string_view head);
    void learn(Connection& c, std::string_view octets, std::string_view head);
    void refuse(Connection& c, int status, std::string_view why);
    void count_request(const Exchange& exchange, uint64_t n);
    Exchange exchange_for(const RequestHead& head);
    std::shared_ptr<const AnswerSet> answers_for(const RequestHead& head);
    std::shared_ptr<const AnswerSet> control_answer(const RequestHead& head);

    // outflow.cpp
    void plan(Connection& c, const Exchange& exchange);
    void push(Connection& c, Pending pending);
    int64_t draw_wait(const AnswerSpec& spec);
    Fault draw_fault();
    size_t draw_status(const AnswerSet& set);
    void send_burst(Connection& c, const Learned& learned, size_t count);
    void pump(Connection& c);
    bool may_go(const Pending& pending) const noexcept;
    bool slow_may_go(Connection& c);
    void write_some(Connection& c);
    void finish_front(Connection& c);
    void end_output(Connection& c);

    Shared& shared_;
    WorkerStats& stats_;
    Dice dice_;
    const int listener_;
    Poller poller_;
    int setup_error_ = 0;
    int64_t now_ns_ = 0;           // of this turn
    int64_t accept_again_ns_ = 0;  // accepting rests until then, for want of descriptors
    bool frozen_ = false;
    const bool varied_;  // options under which no answer is like the other

    std::vector<char> input_;
    std::deque<Connection> connections_;  // a deque, since its elements never move
    std::vector<Connection*> free_;
    std::vector<Connection*> closed_;
    std::vector<Timer> timers_;  // a heap
    std::vector<Handle> parked_;
    std::vector<Handle> ready_;  // paused before, may be read again

    std::shared_ptr<const AnswerSet> usual_;
    ByText<std::shared_ptr<const AnswerSet>> by_query_;
    ByText<std::unique_ptr<const Learned>> learned_;
    std::shared_ptr<const Answer> garbage_;
    std::shared_ptr<const Answer> proceed_;  // 100 Continue
};

}  // namespace rl::serve
