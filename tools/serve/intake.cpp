// From octets to requests. A request whose octets equal one learned on this connection is taken without being read.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "tools/serve/query.hpp"
#include "tools/serve/worker.hpp"

namespace rl::serve {
namespace {

constexpr size_t kLearnedMax = 256;
constexpr size_t kLearnedBytesMax = size_t{4} << 10;
constexpr size_t kQueriesMax = 256;
constexpr std::string_view kStatsPath = "/stats";
constexpr std::string_view kResetPath = "/stats/reset";

bool is_control(const RequestHead& head) { return head.path == kStatsPath || head.path == kResetPath; }

}  // namespace

// HOT: one call to the kernel, and no more than one allocation in the life of a connection that repeats itself.
void Worker::receive(Connection& c, Drained drained) {
    while (c.fd >= 0 && !c.paused) {
        const ssize_t got = receive_some(c.fd, input_.data(), input_.size());
        if (got > 0) {
            const auto size = static_cast<size_t>(got);
            if (c.stage == Stage::open) {
                stats_.add(Tally::bytes_in, size);
                consume(c, {input_.data(), size});
                if (!c.queue.empty()) pump(c);
            } else {
                c.untidy = true;
            }
            if (size < input_.size() && drained == Drained::by_short_read) return;
        } else if (got == 0) {
            return end_input(c);
        } else if (const int error = socket_error(); would_block(error)) {
            return;
        } else if (!was_interrupted(error)) {
            return close(c);
        }
    }
}

// The peer sends no more. What it asked for is still answered, unless that would take for ever.
void Worker::end_input(Connection& c) {
    c.input_ended = true;
    const bool hopeless = !c.queue.empty() && c.queue.front().fault == Fault::never;
    if (c.stage == Stage::lingering || c.queue.empty() || hopeless) close(c);
}

void Worker::consume(Connection& c, std::string_view fresh) {
    const bool carried = !c.carry.empty();
    if (carried) c.carry.append(fresh);
    const std::string_view input = carried ? std::string_view(c.carry) : fresh;
    size_t used = 0;
    while (used < input.size() && c.stage == Stage::open && !c.paused) {
        const std::string_view rest = input.substr(used);
        const size_t taken = c.reading_body ? take_body(c, rest) : take_request(c, rest);
        if (taken == 0) break;
        used += taken;
        if (used < input.size()) c.untidy = true;
    }
    if (c.stage != Stage::open) used = input.size();
    if (carried) {
        c.carry.erase(0, used);
    } else if (used < input.size()) {
        c.carry.assign(input.substr(used));
    }
}

size_t Worker::take_request(Connection& c, std::string_view input) {
    if (c.learned != nullptr) {
        const std::string& octets = c.learned->octets;
        size_t count = 0;
        while (input.size() - count * octets.size() >= octets.size() &&
               std::memcmp(input.data() + count * octets.size(), octets.data(), octets.size()) == 0) {
            ++count;
        }
        if (count > 0) return take_learned(c, *c.learned, count) * octets.size();
    }
    const HeadReading reading = read_head(input);
    if (reading.state == HeadState::unfinished) return 0;
    if (reading.state == HeadState::refused) {
        refuse(c, reading.status, reading.why);
        return input.size();
    }
    const std::string_view head = input.substr(0, reading.used);
    begin_request(c, reading.head, head);
    c.body.begin(reading.head.body, reading.head.body_bytes);
    const size_t used = reading.used + c.body.feed(input.substr(reading.used));
    if (c.body.state() == BodyReader::State::complete) {
        const bool repeatable = c.exchange.kind == Kind::answer && c.exchange.persist != Persist::close;
        end_request(c, head);
        if (repeatable) learn(c, input.substr(0, used), head);
    } else if (c.body.state() == BodyReader::State::broken) {
        refuse(c, 400, "the chunks of the body are malformed");
    } else {
        c.reading_body = true;
        c.kept_head.assign(head);
        if (reading.head.expects_continue && used == reading.used) {
            Pending interim;
            interim.answer = proceed_;
            interim.kind = Kind::interim;
            push(c, std::move(interim));
        }
    }
    return used;
}

size_t Worker::take_body(Connection& c, std::string_view input) {
    const size_t used = c.body.feed(input);
    if (c.exchange.kind == Kind::control) stats_.add(Tally::control_bytes_in, used);
    if (c.body.state() == BodyReader::State::broken) {
        refuse(c, 400, "the chunks of the body are malformed");
    } else if (c.body.state() == BodyReader::State::complete) {
        c.reading_body = false;
        end_request(c, c.kept_head);
        c.kept_head.clear();
    }
    return used;
}

// HOT: no allocation, no parsing; for an instant answer one gathered call to the kernel for all of them.
size_t Worker::take_learned(Connection& c, const Learned& learned, size_t count) {
    const bool instant = learned.instant && !frozen_ && c.queue.empty();
    if (!instant) count = std::min(count, kQueueMax - c.queue.size());
    count_request(learned.exchange, count);
    stats_.set_last(&learned.as_last, now_ns_);
    if (instant) {
        c.requests += count;
        send_burst(c, learned, count);
        return count;
    }
    // An answer that ends the connection leaves the requests behind it unanswered, as a server would.
    for (size_t i = 0; i < count && c.stage == Stage::open; ++i) plan(c, learned.exchange);
    return count;
}

void Worker::count_request(const Exchange& exchange, uint64_t n) {
    stats_.add(Tally::requests, n);
    stats_.add_method(exchange.method, n);
    if (exchange.path != nullptr) {
        exchange.path->add(n);
    } else {
        stats_.add(Tally::paths_other, n);
    }
    if (!stats_.records_arrivals()) return;
    const int64_t now_ns = clock_ns();
    for (uint64_t i = 0; i < n; ++i) stats_.add_arrival(now_ns);
}

void Worker::begin_request(Connection& c, const RequestHead& head, std::string_view octets) {
    if (is_control(head)) {
        // Before the answer is made, which must not tell of itself.
        if (c.requests == 0 && !c.control) uncount(c);
        stats_.add(Tally::control_bytes_in, octets.size());
    }
    c.exchange = exchange_for(head);
    if (c.exchange.kind == Kind::control) return;
    if (c.ignored) {
        if (c.requests == 0) stats_.add(Tally::connections_ignored);
        c.exchange.kind = Kind::silence;
    } else {
        count_request(c.exchange, 1);
    }
}

void Worker::end_request(Connection& c, std::string_view head) {
    if (c.exchange.kind == Kind::answer) stats_.set_last(head, c.body.bytes(), c.body.crc32(), now_ns_);
    plan(c, c.exchange);
    c.exchange = Exchange();
}

// Remembers a request for the fast path. Entries stay for ever, so that connections and readers of statistics may point at
// them; a workload with very many different requests fills the table and is then simply read in the ordinary way.
void Worker::learn(Connection& c, std::string_view octets, std::string_view head) {
    if (octets.size() > kLearnedBytesMax || c.stage != Stage::open) return;
    const auto known = learned_.find(octets);
    if (known != learned_.end()) {
        c.learned = known->second.get();
        return;
    }
    if (learned_.size() >= kLearnedMax) return;
    const HeadReading reading = read_head(octets);
    auto learned = std::make_unique<Learned>();
    learned->octets.assign(octets);
    learned->exchange = exchange_for(reading.head);
    learned->as_last = {std::string(head), c.body.bytes(), c.body.crc32()};
    learned->instant = learned->exchange.answers->instant && !varied_ && learned->exchange.persist == Persist::keep &&
                       learned->exchange.part == Part::whole;
    c.learned = learned.get();
    learned_.emplace(learned->octets, std::move(learned));
}

void Worker::refuse(Connection& c, int status, std::string_view why) {
    stats_.add(Tally::bad_requests);
    c.untidy = true;
    c.reading_body = false;
    Pending refusal;
    refusal.answer = std::make_shared<const Answer>(status, "text/plain", fmt::format("{}\n", why));
    refusal.kind = c.ignored ? Kind::silence : Kind::refusal;
    refusal.fault = c.ignored ? Fault::never : Fault::none;
    refusal.persist = Persist::close;
    refusal.last = true;
    push(c, std::move(refusal));
}

Exchange Worker::exchange_for(const RequestHead& head) {
    Exchange exchange;
    exchange.method = head.method;
    exchange.part = head.method == Method::head ? Part::head_only : Part::whole;
    if (is_control(head)) {
        exchange.kind = Kind::control;
        exchange.answers = control_answer(head);
    } else {
        exchange.answers = answers_for(head);
        exchange.path = stats_.path(head.path);
    }
    const AnswerSpec& spec = exchange.answers->spec;
    if (!head.keep_alive || spec.close || spec.framing == Framing::until_close) {
        exchange.persist = Persist::close;
    } else if (head.http_1_0) {
        exchange.persist = Persist::keep_spoken;
    }
    return exchange;
}

std::shared_ptr<const AnswerSet> Worker::answers_for(const RequestHead& head) {
    // HTTP/1.0 knows no chunks: there the end of the connection ends the body.
    const bool until_close = head.http_1_0 && (usual_->spec.framing == Framing::chunked || query_has(head.query, "chunked"));
    if (head.query.empty() && !until_close) return usual_;
    const std::string key = fmt::format("{} {}", until_close ? "1.0" : "1.1", head.query);
    if (const auto known = by_query_.find(key); known != by_query_.end()) return known->second;
    QueryReading reading = read_query(head.query, usual_->spec);
    if (until_close && reading.spec.framing == Framing::chunked) reading.spec.framing = Framing::until_close;
    std::shared_ptr<const AnswerSet> set;
    if (reading.why.empty()) {
        const bool mixed = reading.status == StatusSource::mix;
        set = std::make_shared<const AnswerSet>(reading.spec, mixed ? shared_.options.statuses : std::vector<StatusShare>());
    } else {
        set = std::make_shared<const AnswerSet>(std::make_shared<const Answer>(400, "text/plain", reading.why + "\n"));
    }
    if (by_query_.size() < kQueriesMax) by_query_.emplace(key, set);
    return set;
}

std::shared_ptr<const AnswerSet> Worker::control_answer(const RequestHead& head) {
    if (head.path == kResetPath) shared_.board.reset(clock_ns());
    const Board::Wanted wanted{query_has(head.query, "arrivals"), query_has(head.query, "last")};
    return std::make_shared<const AnswerSet>(std::make_shared<const Answer>(200, "application/json", shared_.board.json(wanted)));
}

}  // namespace rl::serve
