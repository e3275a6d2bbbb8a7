// One prebuilt answer: its heads, its framing, and where its octets lie, so that sending copies and allocates nothing.
//
// Immutable once built; shared by the connections of one worker. Bodies come from one pattern shared by the whole process.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tools/serve/options.hpp"
#include "tools/serve/sockets.hpp"

namespace rl::serve {

// What the answer says about the connection: nothing, keep-alive (to an HTTP/1.0 client that asked for it), or close.
enum class Persist : uint8_t { keep, keep_spoken, close };

enum class Part : uint8_t { whole, head_only };

// The octets from `offset` up to `limit` of a stream, as a list for one gathered write. `bytes` is the sum of the list.
struct Gather {
    iovec* list = nullptr;
    size_t room = 0;
    size_t used = 0;
    uint64_t bytes = 0;
};

class Answer {
  public:
    explicit Answer(const AnswerSpec& spec);
    // An answer with a body of its own (an error text, the statistics).
    Answer(int status, std::string_view content_type, std::string body);
    // Octets that are sent as they stand: an interim answer, or garbage.
    static std::shared_ptr<const Answer> raw(std::string_view octets);

    int status() const noexcept { return status_; }
    uint64_t slow_bytes() const noexcept { return slow_bytes_; }  // 0: not dribbled
    int64_t slow_every_ns() const noexcept { return slow_every_ns_; }
    uint64_t length(Persist persist, Part part) const noexcept;
    uint64_t head_length(Persist persist) const noexcept { return head(persist).size(); }
    // Appends as much of [offset, limit) as the list has room for; limit is at most length().
    void gather(Persist persist, uint64_t offset, uint64_t limit, Gather& into) const;

    // A whole number of copies of the keep-alive answer in one piece, for the fast path; empty when it is too long for that.
    std::string_view burst() const noexcept { return burst_; }
    size_t burst_copies() const noexcept { return burst_copies_; }

  private:
    Answer() = default;

    const std::string& head(Persist persist) const noexcept { return heads_[static_cast<size_t>(persist)]; }
    void gather_body(uint64_t offset, uint64_t limit, Gather& into) const;
    void gather_chunks(uint64_t offset, uint64_t limit, Gather& into) const;
    void build_burst();

    int status_ = 0;
    uint64_t slow_bytes_ = 0;
    int64_t slow_every_ns_ = 0;
    std::array<std::string, 3> heads_;
    std::string own_body_;
    bool own_ = false;
    uint64_t content_bytes_ = 0;  // before chunking
    uint64_t body_bytes_ = 0;     // as it travels
    uint64_t chunk_bytes_ = 0;    // 0: not chunked
    std::string chunk_line_;
    std::string rest_line_;  // size line of a shorter last chunk; empty when all are full
    std::string burst_;
    size_t burst_copies_ = 0;
};

// The shortest head that fits every way the connection may be spoken of. Larger heads can be padded to any exact size.
uint64_t least_head_bytes(const AnswerSpec& spec);

// All answers that one request may get: one a status of the mix, or a single one.
struct AnswerSet {
    AnswerSpec spec;
    std::vector<std::shared_ptr<const Answer>> answers;  // in the order of Options::statuses
    bool instant = false;                                // neither delayed nor slow nor faulty, and it has a burst

    AnswerSet(const AnswerSpec& wanted, const std::vector<StatusShare>& statuses);
    explicit AnswerSet(std::shared_ptr<const Answer> only) { answers.push_back(std::move(only)); }
};

}  // namespace rl::serve
