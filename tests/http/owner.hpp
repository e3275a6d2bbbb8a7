// The owner's part in a test: holds the unanswered requests of one connection, feeds its reader and keeps what came of it.
//
// Plays by the rules of the worker: an answer that may not be followed by another closes the connection, and so do octets that nobody
// asked for; whatever is then unanswered failed with the word that fits the end of the connection.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "core/http/response_reader.hpp"
#include "tests/support/guard_page.hpp"

namespace rl::test {

struct Answer {
    unsigned status = 0;
    uint64_t body_bytes = 0;
    bool keep_alive = false;
    bool operator==(const Answer&) const = default;
};

struct Outcome {
    std::vector<Answer> answers;
    std::string error;  // "" if there was none
    uint64_t informational = 0;
    bool operator==(const Outcome&) const = default;
};

enum class Ending : uint8_t { none, fin, rst };

class Owner {
  public:
    Owner(std::deque<http::RequestKind> requests, GuardPage& page) : waiting_(std::move(requests)), page_(page) {}

    void bytes(std::string_view octets) {
        const char* at = page_.place(octets);
        size_t left = octets.size();
        while (left != 0 && open_) {
            if (waiting_.empty()) {  // surplus
                keep_last(false);
                open_ = false;
                return;
            }
            const http::Step step = reader_.read(at, left, waiting_.front());
            RL_ASSERT(step.used <= left);
            RL_ASSERT(step.event != http::Event::need_more || step.used == left);
            at += step.used;
            left -= step.used;
            take(step.event);
        }
    }
    // As if the kernel had discarded the next n octets of a body.
    uint64_t skippable() const { return reader_.skippable(); }
    void skip(uint64_t n) { take(reader_.skip(n).event); }

    void end(Ending ending) {
        if (!open_ || ending == Ending::none) return;
        if (ending == Ending::fin && !waiting_.empty() && reader_.in_message()) {
            const http::Event event = reader_.finish();
            if (event == http::Event::response) answered();
        }
        open_ = false;
        if (!waiting_.empty() && outcome.error.empty()) {
            outcome.error = ending == Ending::rst ? "connection_reset" : "connection_closed";
        }
    }

    Outcome outcome;

  private:
    void take(http::Event event) {
        if (event == http::Event::response) answered();
        if (event == http::Event::error) {
            outcome.error = "protocol_error";
            open_ = false;
        }
    }
    void answered() {
        outcome.answers.push_back({reader_.status(), reader_.body_bytes(), reader_.keep_alive()});
        outcome.informational += reader_.informational();
        waiting_.pop_front();
        if (reader_.keep_alive()) return;
        if (!waiting_.empty()) outcome.error = "connection_closed";
        open_ = false;
    }
    void keep_last(bool keep_alive) {
        if (!outcome.answers.empty()) outcome.answers.back().keep_alive = keep_alive;
    }

    std::deque<http::RequestKind> waiting_;
    GuardPage& page_;
    http::ResponseReader reader_;
    bool open_ = true;
};

}  // namespace rl::test
