// From answers to octets: what each request gets is drawn when it is complete, and goes out in order when it is due.
#include <algorithm>
#include <array>

#include "tools/serve/worker.hpp"

namespace rl::serve {
namespace {

constexpr size_t kGatherMax = 64;
constexpr int64_t kLingerNs = 2'000'000'000;

}  // namespace

void Worker::plan(Connection& c, const Exchange& exchange) {
    const AnswerSpec& spec = exchange.answers->spec;
    const uint64_t limit = shared_.options.requests_per_connection;
    ++c.requests;
    Pending pending;
    pending.kind = exchange.kind;
    pending.part = exchange.part;
    pending.answer = exchange.answers->answers.front();
    pending.last = exchange.persist == Persist::close;
    if (exchange.kind == Kind::silence) {
        pending.fault = Fault::never;
    } else if (exchange.kind == Kind::answer) {
        pending.answer = exchange.answers->answers[draw_status(*exchange.answers)];
        pending.due_ns = now_ns_ + draw_wait(spec);
        pending.fault = spec.fault != Fault::none ? spec.fault : draw_fault();
        pending.last = pending.last || (limit != 0 && c.requests >= limit);
    }
    pending.persist = pending.last ? Persist::close : exchange.persist;
    if (pending.fault == Fault::garbage) pending.answer = garbage_;
    if (pending.fault == Fault::half) pending.stop_at = std::max<uint64_t>(pending.length() / 2, 1);
    if (pending.fault == Fault::garbage || pending.fault == Fault::half) pending.last = true;
    if (pending.fault == Fault::never && exchange.kind == Kind::answer) stats_.add(Tally::nevers);
    push(c, std::move(pending));
}

void Worker::push(Connection& c, Pending pending) {
    if (pending.last || pending.fault == Fault::reset) c.stage = Stage::deaf;
    c.queue.push(std::move(pending));
    if (c.queue.size() >= kQueueMax) c.paused = true;
}

int64_t Worker::draw_wait(const AnswerSpec& spec) {
    const Options& o = shared_.options;
    if (o.every_count != 0 && shared_.answers_planned.add(1) % o.every_count == 0) {
        return o.every_ns;
    }
    if (spec.jitter_ns == 0) return spec.delay_ns;
    return spec.delay_ns + static_cast<int64_t>(dice_.fraction() * static_cast<double>(spec.jitter_ns));
}

// One draw decides between the faults, so that their probabilities are what was asked for and exclude each other.
Fault Worker::draw_fault() {
    const Options& o = shared_.options;
    if (o.reset + o.garbage + o.half + o.never <= 0) return Fault::none;
    double point = dice_.fraction();
    const std::array<std::pair<Fault, double>, 4> shares{
        {{Fault::reset, o.reset}, {Fault::garbage, o.garbage}, {Fault::half, o.half}, {Fault::never, o.never}}};
    for (const auto& [fault, share] : shares) {
        if (point < share) return fault;
        point -= share;
    }
    return Fault::none;
}

size_t Worker::draw_status(const AnswerSet& set) {
    if (set.answers.size() == 1) return 0;
    double point = dice_.fraction();
    for (size_t i = 0; i + 1 < set.answers.size(); ++i) {
        point -= shared_.options.statuses[i].share;
        if (point < 0) return i;
    }
    return set.answers.size() - 1;
}

// HOT: the answers to a whole burst of equal requests lie ready in one piece.
void Worker::send_burst(Connection& c, const Learned& learned, size_t count) {
    const Answer& answer = *learned.exchange.answers->answers.front();
    const std::string_view burst = answer.burst();
    const size_t each = burst.size() / answer.burst_copies();
    while (count > 0) {
        const size_t bytes = std::min(count, answer.burst_copies()) * each;
        const ssize_t result = send_some(c.fd, burst.data(), bytes);
        if (result < 0 && was_interrupted(socket_error())) continue;
        if (result < 0 && !would_block(socket_error())) return close(c);
        const size_t sent = result < 0 ? 0 : static_cast<size_t>(result);
        stats_.add(Tally::bytes_out, sent);
        stats_.add(Tally::responses, sent / each);
        stats_.add_status(answer.status(), sent / each);
        count -= sent / each;
        if (sent == bytes) continue;
        c.requests -= count;
        for (; count > 0; --count) plan(c, learned.exchange);
        c.sent = sent % each;
        c.blocked = true;
        return;
    }
}

void Worker::pump(Connection& c) {
    while (c.fd >= 0 && !c.blocked && !c.queue.empty()) {
        const Pending& front = c.queue.front();
        if (front.fault == Fault::never) {
            if (c.input_ended) close(c);
            return;
        }
        if (frozen_ && front.kind != Kind::control) {
            if (!c.parked) parked_.push_back({&c, c.generation});
            c.parked = true;
            return;
        }
        if (front.due_ns > now_ns_) return set_timer(c, front.due_ns);
        if (front.fault == Fault::reset) return reset(c);
        if (front.answer->slow_bytes() != 0 && !slow_may_go(c)) return set_timer(c, c.slow_due_ns);
        write_some(c);
    }
    if (c.fd < 0 || c.stage == Stage::lingering) return;
    if (c.queue.empty() && c.input_ended) return close(c);
    if (c.paused && c.queue.size() <= kQueueMax / 2) ready_.push_back({&c, c.generation});
}

bool Worker::may_go(const Pending& pending) const noexcept {
    return pending.has_octets() && pending.due_ns <= now_ns_ && pending.answer->slow_bytes() == 0 &&
           (!frozen_ || pending.kind == Kind::control);
}

// The first portion of a dribbled body goes out with the head, each further one a fixed time after the one before.
bool Worker::slow_may_go(Connection& c) {
    const Pending& front = c.queue.front();
    const Answer& answer = *front.answer;
    if (c.sent == 0) {
        c.slow_limit = answer.head_length(front.persist) + answer.slow_bytes();
        c.slow_due_ns = now_ns_ + answer.slow_every_ns();
    } else if (c.sent >= c.slow_limit) {
        if (now_ns_ < c.slow_due_ns) return false;
        c.slow_limit += answer.slow_bytes();
        c.slow_due_ns += answer.slow_every_ns();
    }
    return true;
}

// One gathered write of as many answers as may go now.
void Worker::write_some(Connection& c) {
    std::array<iovec, kGatherMax> list;
    Gather gathered{list.data(), list.size()};
    for (size_t i = 0; i < c.queue.size() && gathered.used < gathered.room; ++i) {
        const Pending& pending = c.queue[i];
        if (i > 0 && !may_go(pending)) break;
        const uint64_t from = i == 0 ? c.sent : 0;
        const uint64_t before = gathered.bytes;
        const uint64_t limit = pending.answer->slow_bytes() != 0 ? std::min(pending.length(), c.slow_limit) : pending.length();
        pending.answer->gather(pending.persist, from, limit, gathered);
        if (from + (gathered.bytes - before) < pending.length()) break;
    }
    const ssize_t result = send_gathered(c.fd, list.data(), gathered.used);
    if (result < 0) {
        if (was_interrupted(socket_error())) return;
        if (!would_block(socket_error())) return close(c);
    }
    auto left = static_cast<uint64_t>(std::max<ssize_t>(result, 0));
    c.blocked = left < gathered.bytes;
    while (c.fd >= 0 && left > 0) {
        const uint64_t part = std::min(left, c.queue.front().length() - c.sent);
        if (c.queue.front().kind != Kind::control) stats_.add(Tally::bytes_out, part);
        left -= part;
        c.sent += part;
        if (c.sent == c.queue.front().length()) finish_front(c);
    }
}

void Worker::finish_front(Connection& c) {
    const Pending done = c.queue.pop();
    c.sent = 0;
    if (done.kind == Kind::answer) {
        if (done.fault == Fault::garbage) {
            stats_.add(Tally::garbage);
        } else if (done.fault == Fault::half) {
            stats_.add(Tally::halves);
        } else {
            stats_.add(Tally::responses);
            stats_.add_status(done.answer->status(), 1);
        }
    }
    if (done.last) end_output(c);
}

// Closing a socket with unread input resets the connection, and that can cost the peer the answer it has not read yet.
void Worker::end_output(Connection& c) {
    c.queue.clear();
    if (!c.untidy || c.input_ended) return close(c);
    end_sending(c.fd);
    c.stage = Stage::lingering;
    c.timer_ns = 0;
    set_timer(c, now_ns_ + kLingerNs);
}

}  // namespace rl::serve
