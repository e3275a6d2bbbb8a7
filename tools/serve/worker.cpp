// The loop: wait, deliver events, expire timers, bury what was closed. The poller tells of changes, once.
#include "tools/serve/worker.hpp"

#include <algorithm>
#include <ctime>

namespace rl::serve {
namespace {

constexpr size_t kInputBytes = size_t{256} << 10;
constexpr int64_t kAcceptRestNs = 10'000'000;

bool is_varied(const Options& o) {
    return o.every_count != 0 || o.requests_per_connection != 0 || o.reset + o.garbage + o.half + o.never > 0;
}

}  // namespace

int64_t clock_ns() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

Worker::Worker(Shared& shared, unsigned index, int listener)
    : shared_(shared),
      stats_(shared.board.worker(index)),
      dice_(shared.options.seed + index * 0xD1B54A32D192ED03ULL),
      listener_(listener),
      varied_(is_varied(shared.options)),
      input_(kInputBytes),
      usual_(std::make_shared<const AnswerSet>(shared.options.answer, shared.options.statuses)),
      garbage_(Answer::raw("\x01\x02 this is no HTTP \xfe\xff\r\n\r\nnor is this\r\n")),
      proceed_(Answer::raw("HTTP/1.1 100 Continue\r\n\r\n")) {
    setup_error_ = poller_.open(listener_);
}

Worker::~Worker() {
    for (const Connection& c : connections_) {
        if (c.fd >= 0) close_socket(c.fd);
    }
    close_socket(listener_);
}

void Worker::run() {
    while (!shared_.stop.get()) {
        const int count = wait();
        now_ns_ = clock_ns();
        for (int i = 0; i < count; ++i) {
            void* owner = poller_.owner(i);
            if (owner == nullptr) {
                accept_all();
            } else if (owner != &poller_) {
                on_event(*static_cast<Connection*>(owner), poller_.events(i));
            }
        }
        follow_freeze();
        expire_timers();
        resume_ready();
        bury_closed();
    }
}

int Worker::wait() {
    if (shared_.options.spin || !ready_.empty()) return poller_.wait(0);
    int64_t due_ns = timers_.empty() ? INT64_MAX : timers_.front().due_ns;
    if (accept_again_ns_ != 0) due_ns = std::min(due_ns, accept_again_ns_);
    if (due_ns == INT64_MAX) return poller_.wait(-1);
    return poller_.wait(std::max<int64_t>(due_ns - clock_ns(), 0));
}

void Worker::accept_all() {
    while (true) {
        const int fd = accept_socket(listener_);
        if (fd >= 0) {
            open(fd);
            continue;
        }
        const int error = socket_error();
        if (was_interrupted(error) || peer_gave_up(error)) continue;
        if (out_of_means(error)) {
            poller_.rest(true);  // the listener stays readable: without a rest this would spin
            accept_again_ns_ = now_ns_ + kAcceptRestNs;
        }
        return;
    }
}

void Worker::open(int fd) {
    if (free_.empty()) free_.push_back(&connections_.emplace_back());
    Connection& c = *free_.back();
    free_.pop_back();
    c.fd = fd;
    c.stage = Stage::open;
    stats_.add(Tally::connections);
    shared_.board.connection_opened();
    const uint64_t served = shared_.connections_served.add(1);
    if (shared_.options.connections_max != 0 && served > shared_.options.connections_max) {
        shared_.connections_served.subtract(1);
        c.ignored = true;
    }
    if (!poller_.add(fd, &c)) close(c);
}

void Worker::on_event(Connection& c, uint32_t events) {
    if (c.fd < 0) return;
    if ((events & Poller::kWritable) != 0 && c.blocked) {
        c.blocked = false;
        pump(c);
    }
    if (c.fd < 0) return;
    const bool gone = (events & Poller::kGone) != 0;
    const bool ended = gone || (events & Poller::kEnded) != 0;
    if (c.paused) {
        // It is not read, so the end of its input would go unnoticed behind an answer that never comes.
        if (gone || (ended && !c.queue.empty() && c.queue.front().fault == Fault::never)) close(c);
        return;
    }
    if (ended || (events & Poller::kReadable) != 0) receive(c, ended ? Drained::by_would_block : Drained::by_short_read);
}

void Worker::set_timer(Connection& c, int64_t due_ns) {
    if (c.timer_ns != 0 && c.timer_ns <= due_ns) return;
    c.timer_ns = due_ns;
    timers_.push_back({due_ns, &c, c.generation});
    std::push_heap(timers_.begin(), timers_.end());
}

void Worker::expire_timers() {
    if (accept_again_ns_ != 0 && accept_again_ns_ <= now_ns_) {
        accept_again_ns_ = 0;
        poller_.rest(false);
    }
    if (timers_.empty()) return;
    now_ns_ = clock_ns();
    while (!timers_.empty() && timers_.front().due_ns <= now_ns_) {
        const Timer timer = timers_.front();
        std::pop_heap(timers_.begin(), timers_.end());
        timers_.pop_back();
        Connection& c = *timer.connection;
        // A connection that was closed, or whose timer was moved forward, left this entry behind.
        if (c.generation == timer.generation && c.timer_ns == timer.due_ns) on_timer(c);
    }
}

void Worker::on_timer(Connection& c) {
    c.timer_ns = 0;
    if (c.fd < 0) return;
    if (c.stage == Stage::lingering) {
        close(c);
    } else {
        pump(c);
    }
}

void Worker::follow_freeze() {
    const bool frozen = shared_.frozen.get();
    if (frozen == frozen_) return;
    frozen_ = frozen;
    if (frozen) return;
    const std::vector<Handle> parked = std::move(parked_);
    parked_.clear();
    for (const Handle& handle : parked) {
        Connection& c = *handle.connection;
        if (c.generation != handle.generation || c.fd < 0) continue;
        c.parked = false;
        pump(c);
    }
}

void Worker::resume_ready() {
    if (ready_.empty()) return;
    const std::vector<Handle> ready = std::move(ready_);
    ready_.clear();
    for (const Handle& handle : ready) {
        Connection& c = *handle.connection;
        if (c.generation != handle.generation || c.fd < 0) continue;
        c.paused = false;
        if (c.stage == Stage::open) consume(c, {});
        if (c.fd >= 0) pump(c);
        // The event that told of waiting input is long gone: read until there is no more.
        if (c.fd >= 0) receive(c, Drained::by_would_block);
    }
}

// Closes now; the memory is reused from the next turn on, when no event of this one can still name it.
void Worker::close(Connection& c) {
    if (c.fd < 0) return;
    poller_.remove(c.fd);
    close_socket(c.fd);
    c.fd = -1;
    c.stage = Stage::closed;
    closed_.push_back(&c);
    if (c.control) return;
    shared_.board.connection_closed();
    if (!c.ignored) shared_.connections_served.subtract(1);
}

void Worker::reset(Connection& c) {
    reset_when_closed(c.fd);
    stats_.add(Tally::resets);
    close(c);
}

void Worker::bury_closed() {
    for (Connection* c : closed_) {
        const uint32_t generation = c->generation + 1;
        *c = Connection();
        c->generation = generation;
        free_.push_back(c);
    }
    closed_.clear();
}

void Worker::uncount(Connection& c) {
    c.control = true;
    stats_.add(Tally::control_connections);
    shared_.board.connection_uncounted();
    if (!c.ignored) shared_.connections_served.subtract(1);
}

}  // namespace rl::serve
