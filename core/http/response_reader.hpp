// Reads HTTP/1.1 answers (RFC 9112) where the kernel put them: nothing is copied, kept or allocated, only counted.
//
// One object per connection, on that worker's thread. Octets may arrive cut anywhere; every cut gives the same events. A head that
// lies whole in the input is read by bitmaps (whole_head.cpp); any other, and anything odd, octet by octet (response_head.cpp), which
// alone decides what is an error. It knows nothing of connections: what surplus octets and the end of a stream mean for requests that
// are still unanswered is the owner's decision.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rl::http {

enum class Event : uint8_t {
    need_more,  // all input is consumed and an answer is not complete
    response,   // one final answer is complete; octets left in the input are not part of it
    error       // the octets are not HTTP/1.1; the connection is of no more use until reset()
};

enum class RequestKind : uint8_t {  // of the oldest unanswered request; must not change while its answer is read
    normal,
    head,    // the answer has no body whatever its length says
    connect  // a 2xx answer has no body, and the connection is a tunnel after it
};

struct Step {
    uint32_t used;  // octets consumed from the input
    Event event;
};

class ResponseReader {
  public:
    static constexpr uint32_t kHeadBytesMax = 256 * 1024;  // also for one chunk-size line, and for the trailers

    // HOT. Consumes octets until one final answer is complete, the input ends, or the message is invalid. Call again with the rest.
    // Interim answers (1xx) are passed over. size is below 4 GiB.
    Step read(const char* data, size_t size, RequestKind kind) noexcept;

    // The peer ended its sending side. response: a body that runs to the end of the stream is complete. need_more: nothing was under
    // way. error: an answer was cut short.
    Event finish() noexcept;

    // Some octet of the current answer, or an interim answer before it, was read.
    bool in_message() const noexcept { return phase_ != Phase::idle; }

    // After Event::response, until the next read().
    uint16_t status() const noexcept { return status_; }
    bool keep_alive() const noexcept { return (facts_ & kReusable) != 0; }  // by head and framing alone
    uint64_t body_bytes() const noexcept { return body_bytes_; }            // without the framing of chunks
    uint32_t informational() const noexcept { return informational_; }      // interim answers before this one

    // How many octets come next whose values do not matter: the rest of a sized body or of a chunk. 0 elsewhere.
    uint64_t skippable() const noexcept { return phase_ == Phase::sized_body || phase_ == Phase::chunk_data ? left_ : 0; }
    // n <= skippable() octets were discarded unseen, as if they had been read; may complete the answer. `used` is 0.
    Step skip(uint64_t n) noexcept;

    void reset() noexcept { *this = ResponseReader(); }  // for a new connection

  private:
    enum class Phase : uint8_t {
        idle,        // between answers
        interim,     // behind an interim answer: a further head must follow
        status,      // in the first 13 octets of the status line
        reason,      // in the rest of the status line
        line_start,  // at the start of a line behind the status line
        name,
        value,
        line_cr,  // behind a CR that ends a line: LF must follow
        head_cr,  // behind a CR at the start of a line: LF must follow and ends the head or the trailers
        head_end,
        sized_body,
        endless_body,  // to the end of the stream
        chunk_start,   // before the first digit of a size
        chunk_size,
        chunk_blank,  // behind white space after the size: an extension must follow
        chunk_extension,
        chunk_line_cr,
        chunk_data,
        chunk_end,     // behind the data: CR must follow
        chunk_end_cr,  // and LF
        failed
    };
    enum class Field : uint8_t { none, other, content_length, connection, transfer_encoding };
    enum Fact : uint16_t {
        kHttp10 = 1 << 0,
        kHasLength = 1 << 1,
        kBadLength = 1 << 2,
        kHasCoding = 1 << 3,
        kChunked = 1 << 4,  // the last coding named so far is chunked
        kRecoded = 1 << 5,  // chunked was named before the last coding
        kClose = 1 << 6,
        kKeepAlive = 1 << 7,
        kReusable = 1 << 8,
        kTrailers = 1 << 9,
        kBlankSeen = 1 << 10  // white space came behind the current number or list element
    };

    bool has(unsigned facts) const noexcept { return (facts_ & facts) != 0; }
    void set(unsigned facts) noexcept { facts_ = static_cast<uint16_t>(facts_ | facts); }
    void clear(unsigned facts) noexcept { facts_ = static_cast<uint16_t>(facts_ & ~facts); }

    // whole_head.cpp. Reads one head that lies whole in the input and holds nothing unusual; 0: not so; begin_head() is due.
    uint32_t read_whole_head(const char* data, size_t size) noexcept;

    // response_head.cpp. They return how far they came; phase_ says why they stopped.
    void begin_head() noexcept;
    const char* read_head(const char* p, const char* end) noexcept;
    void status_octet(char c) noexcept;
    void line_start_octet(char c) noexcept;
    void name_octet(char c) noexcept;
    void value_octet(char c) noexcept;
    void length_octet(char c) noexcept;
    void list_octet(char c) noexcept;
    void end_number() noexcept;
    void end_element() noexcept;
    void end_field() noexcept;
    void fail() noexcept { phase_ = Phase::failed; }

    // response_reader.cpp
    Step read_on(const char* data, const char* p, const char* end, RequestKind kind) noexcept;
    bool end_head(RequestKind kind) noexcept;
    void end_chunk_line() noexcept;
    const char* read_chunk_line(const char* p, const char* end) noexcept;
    bool take_body(uint64_t n) noexcept;

    uint64_t left_ = 0;  // octets of the body or chunk still to come; in heads and chunk lines the number that is being read
    uint64_t body_bytes_ = 0;
    uint64_t length_ = 0;      // value of Content-Length
    uint32_t line_bytes_ = 0;  // octets of this head, chunk line or trailer section
    uint32_t informational_ = 0;
    uint16_t status_ = 0;
    uint16_t facts_ = 0;
    Phase phase_ = Phase::idle;
    Field field_ = Field::none;
    uint8_t position_ = 0;    // in the status line, name, number or list element; stays at 255
    uint8_t candidates_ = 0;  // which known words the name or element may still become
};
static_assert(sizeof(ResponseReader) <= 64);

}  // namespace rl::http
