// Heads octet by octet: for heads cut between buffers and for all that is out of the ordinary. What is an error is decided here.
//
// The state is the place in the grammar and a few counts, so nothing of a cut line is ever kept. Values of the three fields that frame
// a message are read as they come; a continued line (obs-fold) counts as white space within the value.
#include <cstring>

#include "core/http/octets.hpp"
#include "core/http/response_reader.hpp"

namespace rl::http {
namespace {

struct Word {
    const char* text;
    uint8_t size;
};
constexpr Word kNames[] = {{"content-length", 14}, {"connection", 10}, {"transfer-encoding", 17}};
constexpr uint8_t kAllNames = 0b111;
constexpr Word kElements[] = {{"close", 5}, {"keep-alive", 10}, {"chunked", 7}};
constexpr uint8_t kCloseBit = 0b001, kKeepAliveBit = 0b010, kChunkedBit = 0b100;

// The words among `candidates` which have this octet at this position.
template <size_t N>
uint8_t still_possible(const Word (&words)[N], uint8_t candidates, size_t position, char c) noexcept {
    unsigned left = 0;
    for (size_t i = 0; i < N; ++i) {
        if ((candidates >> i & 1) != 0 && position < words[i].size && words[i].text[position] == lower(c)) left |= 1u << i;
    }
    return static_cast<uint8_t>(left);
}

// The words among `candidates` which end at this position.
template <size_t N>
uint8_t ending(const Word (&words)[N], uint8_t candidates, size_t position) noexcept {
    unsigned left = 0;
    for (size_t i = 0; i < N; ++i) {
        if ((candidates >> i & 1) != 0 && position == words[i].size) left |= 1u << i;
    }
    return static_cast<uint8_t>(left);
}

uint8_t next(uint8_t position) noexcept { return position == 255 ? position : static_cast<uint8_t>(position + 1); }

}  // namespace

void ResponseReader::begin_head() noexcept {
    left_ = 0;
    body_bytes_ = 0;
    length_ = 0;
    line_bytes_ = 0;
    status_ = 0;
    facts_ = 0;
    field_ = Field::none;
    position_ = 0;
    phase_ = Phase::status;
}

const char* ResponseReader::read_head(const char* p, const char* end) noexcept {
    const char* const start = p;
    while (p != end && phase_ != Phase::failed && phase_ != Phase::head_end) {
        const char c = *p++;
        switch (phase_) {
            case Phase::status:
                status_octet(c);
                break;
            case Phase::line_start:
                line_start_octet(c);
                break;
            case Phase::name:
                name_octet(c);
                break;
            case Phase::line_cr:
                phase_ = c == '\n' ? Phase::line_start : Phase::failed;
                break;
            case Phase::head_cr:
                phase_ = c == '\n' ? Phase::head_end : Phase::failed;
                break;
            case Phase::value:
                if (field_ != Field::other) {
                    value_octet(c);
                    break;
                }
                [[fallthrough]];
            default:  // the text of the reason or of a field that does not matter
                --p;
                while (p != end && !is(kControl, *p)) ++p;
                if (p != end) value_octet(*p++);
                break;
        }
    }
    line_bytes_ += static_cast<uint32_t>(p - start);
    if (line_bytes_ > kHeadBytesMax) fail();
    return p;
}

void ResponseReader::status_octet(char c) noexcept {
    static constexpr char kVersion[] = "HTTP/1.";
    const uint8_t position = position_++;
    if (position < 7) {
        if (c != kVersion[position]) fail();
    } else if (position == 7) {
        if (!is_digit(c)) return fail();
        if (c == '0') set(kHttp10);
    } else if (position == 8) {
        if (c != ' ') fail();
    } else if (position < 12) {
        if (!is_digit(c) || (position == 9 && c == '0')) return fail();
        status_ = static_cast<uint16_t>(status_ * 10 + (c - '0'));
    } else if (c == ' ') {
        phase_ = Phase::reason;
    } else if (c == '\r' || c == '\n') {  // the blank behind the code is often left out
        phase_ = c == '\r' ? Phase::line_cr : Phase::line_start;
    } else {
        fail();
    }
}

void ResponseReader::line_start_octet(char c) noexcept {
    if (is_blank(c)) {  // continues the field before; there is none behind the status line (RFC 9112 2.2)
        phase_ = Phase::value;
        return field_ == Field::none ? fail() : value_octet(c);
    }
    end_field();
    if (c == '\r') {
        phase_ = Phase::head_cr;
    } else if (c == '\n') {
        phase_ = Phase::head_end;
    } else {
        position_ = 0;
        candidates_ = has(kTrailers) ? uint8_t{0} : kAllNames;  // fields of the trailers do not frame anything
        phase_ = Phase::name;
        name_octet(c);
    }
}

void ResponseReader::name_octet(char c) noexcept {
    if (is(kToken, c)) {
        candidates_ = still_possible(kNames, candidates_, position_, c);
        position_ = next(position_);
        return;
    }
    if (c != ':' || position_ == 0) return fail();
    switch (ending(kNames, candidates_, position_)) {
        case 0b001:
            field_ = Field::content_length;
            break;
        case 0b010:
            field_ = Field::connection;
            break;
        case 0b100:
            field_ = Field::transfer_encoding;
            break;
        default:
            field_ = Field::other;
            break;
    }
    if (field_ == Field::transfer_encoding) set(kHasCoding);
    left_ = 0;
    position_ = 0;
    candidates_ = field_ == Field::connection ? kCloseBit | kKeepAliveBit : kChunkedBit;
    clear(kBlankSeen);
    phase_ = Phase::value;
}

void ResponseReader::value_octet(char c) noexcept {
    if (c == '\r') {
        phase_ = Phase::line_cr;
    } else if (c == '\n') {
        phase_ = Phase::line_start;
        // A bare LF ends a line of the head (RFC 9112 2.2).
    } else if (is(kControl, c)) {
        fail();
    } else if (field_ == Field::content_length) {
        length_octet(c);
    } else if (field_ == Field::connection || field_ == Field::transfer_encoding) {
        list_octet(c);
    }
}

// A number, or equal numbers in a list (RFC 9110 8.6). A fault is only noted: chunked framing overrules it.
void ResponseReader::length_octet(char c) noexcept {
    if (is_blank(c)) {
        if (position_ != 0) set(kBlankSeen);
    } else if (c == ',') {
        end_number();
    } else if (!is_digit(c) || has(kBlankSeen)) {
        set(kBadLength);
    } else {
        uint64_t tens = 0;
        if (__builtin_mul_overflow(left_, uint64_t{10}, &tens) || __builtin_add_overflow(tens, static_cast<uint64_t>(c - '0'), &left_)) {
            set(kBadLength);
        }
        position_ = 1;
    }
}

void ResponseReader::end_number() noexcept {
    if (position_ == 0 || (has(kHasLength) && length_ != left_)) set(kBadLength);
    length_ = left_;
    set(kHasLength);
    left_ = 0;
    position_ = 0;
    clear(kBlankSeen);
}

// A list of words; only whole elements are compared (RFC 9110 5.6.1).
void ResponseReader::list_octet(char c) noexcept {
    if (c == ',') {
        end_element();
    } else if (is_blank(c)) {
        if (position_ != 0) set(kBlankSeen);
    } else {
        candidates_ = has(kBlankSeen) ? uint8_t{0} : still_possible(kElements, candidates_, position_, c);
        position_ = next(position_);
    }
}

void ResponseReader::end_element() noexcept {
    const uint8_t word = ending(kElements, candidates_, position_);
    if (field_ == Field::connection) {
        if (word == kCloseBit) set(kClose);
        if (word == kKeepAliveBit) set(kKeepAlive);
    } else if (position_ != 0) {  // a coding; empty elements count for nothing
        if (has(kChunked)) set(kRecoded);
        clear(kChunked);
        if (word == kChunkedBit) set(kChunked);
    }
    position_ = 0;
    candidates_ = field_ == Field::connection ? kCloseBit | kKeepAliveBit : kChunkedBit;
    clear(kBlankSeen);
}

// The value is over only when the next line turns out not to continue it.
void ResponseReader::end_field() noexcept {
    if (field_ == Field::content_length) end_number();
    if (field_ == Field::connection || field_ == Field::transfer_encoding) end_element();
    field_ = Field::other;
}

}  // namespace rl::http
