// Reading of HTTP/1.1 requests: heads from contiguous octets, bodies octet by octet without keeping them.
//
// Stricter than a server must be: what a careful client would never send (a bare LF, two Host lines, a length beside
// chunked) is a bad request here, because the client is what is on trial. RFC 9112.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace rl::serve {

enum class Method : uint8_t { get, head, post, put, delete_, patch, options, trace, connect, other };
inline constexpr size_t kMethodCount = 10;
std::string_view method_name(Method method);

enum class BodyKind : uint8_t { none, length, chunked };

struct RequestHead {
    Method method = Method::get;
    std::string_view path;   // BORROWS: the octets given to read_head
    std::string_view query;  // without the question mark
    bool keep_alive = true;
    bool http_1_0 = false;
    bool expects_continue = false;
    BodyKind body = BodyKind::none;
    uint64_t body_bytes = 0;
};

enum class HeadState : uint8_t { unfinished, complete, refused };

struct HeadReading {
    HeadState state = HeadState::unfinished;
    size_t used = 0;       // octets of the head, with any empty line before it
    int status = 400;      // the answer to a refused one
    std::string_view why;  // static text
    RequestHead head;
};

inline constexpr size_t kHeadBytesMax = size_t{64} << 10;

HeadReading read_head(std::string_view octets);

// Follows one body to its end. The connection owns it; begin() makes it ready for the next.
class BodyReader {
  public:
    enum class State : uint8_t { unfinished, complete, broken };

    void begin(BodyKind kind, uint64_t length);
    // Takes octets up to the end of the body and returns how many.
    size_t feed(std::string_view octets);

    State state() const noexcept { return state_; }
    uint64_t bytes() const noexcept { return bytes_; }  // content only, without chunk framing
    uint32_t crc32() const noexcept { return crc_; }

  private:
    enum class Expect : uint8_t { data, data_end, size_line, trailer };

    size_t take_data(std::string_view octets);
    size_t take_line(std::string_view octets);
    void end_line();

    State state_ = State::complete;
    Expect expect_ = Expect::data;
    bool chunked_ = false;
    uint64_t left_ = 0;  // of the body, or of this chunk
    uint64_t bytes_ = 0;
    uint32_t crc_ = 0;
    size_t line_bytes_ = 0;  // of all framing lines since the last data, bounded
    std::string line_;       // the framing line so far
};

}  // namespace rl::serve
