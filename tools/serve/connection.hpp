// One accepted connection: what is known of its input, and the answers that wait for their turn. Data only; a worker acts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/serve/answer.hpp"
#include "tools/serve/request.hpp"
#include "tools/serve/stats.hpp"

namespace rl::serve {

// How many answers may wait on one connection before it is read no further.
inline constexpr size_t kQueueMax = 1024;

enum class Kind : uint8_t {
    answer,   // to a request that was counted
    refusal,  // to a bad request
    interim,  // 100 Continue
    control,  // to /stats: in no statistics, held up by no freeze and no fault
    silence,  // to a request on an ignored connection: never sent
};

// What a request will get. Decided when its head is read, before its body.
struct Exchange {
    std::shared_ptr<const AnswerSet> answers;
    Kind kind = Kind::answer;
    Persist persist = Persist::keep;
    Part part = Part::whole;
    Method method = Method::get;
    Count* path = nullptr;  // BORROWS: from the worker's statistics; null when there are too many paths
};

// A whole request, head and body, that was seen before: the same octets again need no reading.
struct Learned {
    std::string octets;
    Exchange exchange;
    LastRequest as_last;
    bool instant = false;  // its answer never waits and never varies
};

struct Pending {
    std::shared_ptr<const Answer> answer;
    int64_t due_ns = 0;
    uint64_t stop_at = UINT64_MAX;  // half an answer ends here
    Kind kind = Kind::answer;
    Fault fault = Fault::none;
    Persist persist = Persist::keep;
    Part part = Part::whole;
    bool last = false;  // the connection ends behind it

    bool has_octets() const noexcept { return fault != Fault::reset && fault != Fault::never; }
    uint64_t length() const noexcept { return std::min(answer->length(persist, part), stop_at); }
};

// A queue that keeps its memory, so that a connection in its stride allocates nothing.
class PendingQueue {
  public:
    bool empty() const noexcept { return first_ == items_.size(); }
    size_t size() const noexcept { return items_.size() - first_; }
    Pending& front() noexcept { return items_[first_]; }
    const Pending& operator[](size_t index) const noexcept { return items_[first_ + index]; }
    void push(Pending pending) { items_.push_back(std::move(pending)); }
    void clear() noexcept {
        items_.clear();
        first_ = 0;
    }
    Pending pop() {
        Pending front = std::move(items_[first_++]);
        if (empty()) {
            clear();
        } else if (first_ >= kQueueMax) {
            items_.erase(items_.begin(), items_.begin() + static_cast<std::ptrdiff_t>(first_));
            first_ = 0;
        }
        return front;
    }

  private:
    std::vector<Pending> items_;
    size_t first_ = 0;
};

enum class Stage : uint8_t {
    open,       // takes requests
    deaf,       // the last answer is decided; further input is thrown away
    lingering,  // all sent and our side shut; waiting for the peer to close, so that no reset eats the answer
    closed,     // waits for the end of the turn to be used again
};

struct Connection {
    int fd = -1;
    uint32_t generation = 0;  // moves on at every reuse, so that stale timers and lists are recognised
    Stage stage = Stage::closed;

    bool ignored = false;       // beyond --max-connections
    bool control = false;       // its first request was for /stats
    bool input_ended = false;   // the peer shut its sending side
    bool paused = false;        // too many answers wait; not read
    bool blocked = false;       // the socket takes no more for now
    bool parked = false;        // waits for a thaw
    bool untidy = false;        // the peer may have sent more than was read: linger before closing
    bool reading_body = false;  // between the head and the end of a body

    const Learned* learned = nullptr;  // BORROWS: from the worker, which keeps them for ever
    uint64_t requests = 0;
    std::string carry;      // the beginning of a request whose end has not arrived
    std::string kept_head;  // of the request whose body is being read
    Exchange exchange;      // of the same
    BodyReader body;

    PendingQueue queue;
    uint64_t sent = 0;        // octets of the front answer
    uint64_t slow_limit = 0;  // how far a dribbled front may go by now
    int64_t slow_due_ns = 0;  // when it may go further
    int64_t timer_ns = 0;     // 0: none set
};

}  // namespace rl::serve
