// From heads to answers: which framing a head asks for (RFC 9112 6.3), bodies that are counted and not read, chunks and trailers.
#include "core/http/response_reader.hpp"

#include "core/base/assert.hpp"
#include "core/http/octets.hpp"

namespace rl::http {

Step ResponseReader::read(const char* data, size_t size, RequestKind kind) noexcept {
    RL_DCHECK(size <= UINT32_MAX);
    const char* p = data;
    const char* const end = data + size;
    while (p != end && (phase_ == Phase::idle || phase_ == Phase::interim)) {
        if (phase_ == Phase::idle) informational_ = 0;
        const uint32_t head_bytes = read_whole_head(p, static_cast<size_t>(end - p));
        if (head_bytes == 0) {
            begin_head();
            break;
        }
        p += head_bytes;
        if (end_head(kind)) return {static_cast<uint32_t>(p - data), Event::response};
        if (phase_ != Phase::sized_body) continue;
        const auto here = static_cast<uint64_t>(end - p);
        const uint64_t n = left_ < here ? left_ : here;
        p += n;
        if (take_body(n)) return {static_cast<uint32_t>(p - data), Event::response};
    }
    if (p == end) return {static_cast<uint32_t>(size), phase_ == Phase::failed ? Event::error : Event::need_more};
    return read_on(data, p, end, kind);
}

// All that is not a head in one piece with a sized body behind it.
Step ResponseReader::read_on(const char* data, const char* p, const char* end, RequestKind kind) noexcept {
    const auto step = [&](Event event) { return Step{static_cast<uint32_t>(p - data), event}; };
    while (p != end) {
        switch (phase_) {
            case Phase::idle:  // not reached: read() begins answers
            case Phase::failed:
                return step(Event::error);
            case Phase::interim:
                begin_head();
                break;
            case Phase::sized_body:
            case Phase::endless_body:
            case Phase::chunk_data: {
                const auto here = static_cast<uint64_t>(end - p);
                const uint64_t n = phase_ != Phase::endless_body && left_ < here ? left_ : here;
                p += n;
                if (take_body(n)) return step(Event::response);
                break;
            }
            case Phase::chunk_start:
            case Phase::chunk_size:
            case Phase::chunk_blank:
            case Phase::chunk_extension:
            case Phase::chunk_line_cr:
            case Phase::chunk_end:
            case Phase::chunk_end_cr:
                p = read_chunk_line(p, end);
                break;
            default:
                p = read_head(p, end);
                if (phase_ == Phase::head_end && end_head(kind)) return step(Event::response);
                break;
        }
    }
    return step(phase_ == Phase::failed ? Event::error : Event::need_more);
}

Event ResponseReader::finish() noexcept {
    if (phase_ == Phase::idle) return Event::need_more;
    if (phase_ == Phase::endless_body) {
        phase_ = Phase::idle;
        return Event::response;
    }
    fail();
    return Event::error;
}

Step ResponseReader::skip(uint64_t n) noexcept {
    RL_DCHECK(n <= skippable());
    return {0, take_body(n) ? Event::response : Event::need_more};
}

// True: a sized body is complete.
bool ResponseReader::take_body(uint64_t n) noexcept {
    body_bytes_ += n;
    if (phase_ == Phase::endless_body) return false;
    left_ -= n;
    if (left_ != 0) return false;
    if (phase_ == Phase::chunk_data) {
        phase_ = Phase::chunk_end;
        return false;
    }
    phase_ = Phase::idle;
    return true;
}

// A head or the trailers are complete: decides what follows. True: the answer is complete.
bool ResponseReader::end_head(RequestKind kind) noexcept {
    if (has(kTrailers)) {
        phase_ = Phase::idle;
        return true;
    }
    if (status_ < 200) {
        ++informational_;
        // 101 answers an Upgrade, which is never sent: what follows would not be HTTP/1.1.
        phase_ = status_ == 101 ? Phase::failed : Phase::interim;
        return false;
    }
    bool reusable = has(kHttp10) ? has(kKeepAlive) && !has(kClose) : !has(kClose);
    const bool tunnel = kind == RequestKind::connect && status_ < 300;
    if (status_ == 204 || status_ == 304 || kind == RequestKind::head || tunnel) {
        // A faulty length does no harm here, but who sends it is not trusted with a further request; nor is who announces a body
        // behind a 204, since it may follow (RFC 9112 9.2).
        const bool announced = status_ == 204 && (has(kHasCoding) || length_ != 0);
        if (reusable && !tunnel && !has(kBadLength) && !announced) set(kReusable);
        phase_ = Phase::idle;
        return true;
    }
    if (has(kHasCoding)) {
        // Faulty together with a length, in HTTP/1.0 and named twice: read, but the connection is not used again (RFC 9112 6.1).
        reusable = reusable && has(kChunked) && !has(kHasLength | kHttp10 | kRecoded);
        phase_ = has(kChunked) ? Phase::chunk_start : Phase::endless_body;
    } else if (has(kBadLength)) {
        fail();
    } else if (has(kHasLength)) {
        left_ = length_;
        phase_ = left_ == 0 ? Phase::idle : Phase::sized_body;
    } else {
        reusable = false;
        phase_ = Phase::endless_body;
    }
    if (reusable) set(kReusable);
    left_ = phase_ == Phase::sized_body ? length_ : 0;
    line_bytes_ = 0;
    return phase_ == Phase::idle;
}

// The line with the size of a chunk, and the line end behind its data. Bare LF is not excused here (RFC 9112 2.2 and 7.1).
const char* ResponseReader::read_chunk_line(const char* p, const char* end) noexcept {
    const char* const start = p;
    while (p != end && phase_ != Phase::chunk_data && phase_ != Phase::line_start && phase_ != Phase::failed) {
        const char c = *p++;
        switch (phase_) {
            case Phase::chunk_start:
            case Phase::chunk_size:
                if (is(kHexDigit, c)) {
                    if (left_ >> 59 != 0)
                        fail();  // from 2^63 on: nobody has so many octets, and sums of them overflow
                    else
                        phase_ = Phase::chunk_size;
                    left_ = left_ << 4 | hex_value(c);
                    break;
                }
                if (phase_ == Phase::chunk_start) {
                    fail();
                    break;
                }
                [[fallthrough]];
            case Phase::chunk_blank:
                if (c == ';')
                    phase_ = Phase::chunk_extension;
                else if (is_blank(c))
                    phase_ = Phase::chunk_blank;
                else
                    phase_ = c == '\r' && phase_ == Phase::chunk_size ? Phase::chunk_line_cr : Phase::failed;
                break;
            case Phase::chunk_extension:
                if (c == '\r')
                    phase_ = Phase::chunk_line_cr;
                else if (is(kControl, c))
                    fail();
                break;
            case Phase::chunk_line_cr:
                c == '\n' ? end_chunk_line() : fail();
                break;
            case Phase::chunk_end:
                phase_ = c == '\r' ? Phase::chunk_end_cr : Phase::failed;
                break;
            default:
                phase_ = c == '\n' ? Phase::chunk_start : Phase::failed;
                break;
        }
    }
    // Counted also when the line is complete, so that the verdict does not hang on how it was cut.
    line_bytes_ += static_cast<uint32_t>(p - start);
    if (line_bytes_ > kHeadBytesMax) fail();
    if (phase_ == Phase::chunk_data || phase_ == Phase::line_start) line_bytes_ = 0;
    return p;
}

void ResponseReader::end_chunk_line() noexcept {
    if (left_ != 0) {
        phase_ = Phase::chunk_data;
        return;
    }
    set(kTrailers);
    field_ = Field::none;
    phase_ = Phase::line_start;
}

}  // namespace rl::http
