// The usual head: it lies whole in the input, has CRLF or LF lines, plain names, no continued lines. Read by bitmaps, a few operations
// for 64 octets, so that field lines that do not matter cost nothing of their own.
//
// It never decides that something is an error. Whatever it does not know is left to the octet-wise reader (response_head.cpp), from the
// first octet of the head on; the fuzz target checks that both agree on all that is accepted here.
#include <cstring>

#include "core/http/octets.hpp"
#include "core/http/response_reader.hpp"
#include "core/http/scan.hpp"

namespace rl::http {
namespace {

constexpr size_t kCheckedOctets = 12;  // "HTTP/1.1 200"

template <class T>
T load(const char* p) noexcept {
    T value;
    std::memcpy(&value, p, sizeof value);
    return value;
}

// Letters in either case. A CR would pass for "-", but stands in no name and, being followed by LF only, in no value.
bool matches8(const char* p, const char* lower_case) noexcept {
    return (load<uint64_t>(p) | 0x2020202020202020) == load<uint64_t>(lower_case);
}
bool matches4(const char* p, const char* lower_case) noexcept { return (load<uint32_t>(p) | 0x20202020) == load<uint32_t>(lower_case); }

// The number behind a blank, of exactly three digits; 0: it is not so.
unsigned status_code(const char* blank) noexcept {
    const auto text = load<uint32_t>(blank);
    const auto shape = load<uint32_t>("\xff\xf0\xf0\xf0"), wanted = load<uint32_t>(" 000"), past_nine = load<uint32_t>("\0\6\6\6");
    if ((text & shape) != wanted || ((text + past_nine) & shape) != wanted) return 0;
    return static_cast<unsigned>((blank[1] - '0') * 100 + (blank[2] - '0') * 10 + (blank[3] - '0'));
}

bool line_ends(char c) noexcept { return c == '\r' || c == '\n'; }

// Values in full, up to the line end. An empty line stands behind them, so that two octets more than the line are there to be read.
bool is_keep_alive(const char* value, const char* end) noexcept {
    return end - value > 10 && matches8(value, "keep-ali") && matches8(value + 2, "ep-alive") && line_ends(value[10]);
}
bool is_close(const char* value, const char* end) noexcept {
    return end - value > 5 && matches4(value, "clos") && lower(value[4]) == 'e' && line_ends(value[5]);
}
bool is_chunked(const char* value, const char* end) noexcept {
    return end - value > 7 && matches4(value, "chun") && matches4(value + 3, "nked") && line_ends(value[7]);
}
bool whole_number(const char* p, uint64_t* number) noexcept {
    const char* const start = p;
    for (*number = 0; is_digit(*p); ++p) *number = *number * 10 + static_cast<uint64_t>(*p - '0');
    return p != start && p - start <= 19 && line_ends(*p);
}

}  // namespace

uint32_t ResponseReader::read_whole_head(const char* data, size_t size) noexcept {
    if (size <= kCheckedOctets) return 0;
    const bool http11 = load<uint64_t>(data) == load<uint64_t>("HTTP/1.1");
    if (!http11 && (std::memcmp(data, "HTTP/1.", 7) != 0 || !is_digit(data[7]))) return 0;
    const unsigned status = status_code(data + 8);
    if (status < 100 || (data[12] != ' ' && !line_ends(data[12]))) return 0;

    HeadScan fields;
    const char* const scanned = data + kCheckedOctets;  // what is known need not be scanned: most heads are a block shorter for it
    scan_head(scanned, size - kCheckedOctets, &fields);
    if (fields.head_bytes == 0 || fields.head_bytes > kHeadBytesMax - kCheckedOctets) return 0;
    unsigned facts = !http11 && data[7] == '0' ? kHttp10 : 0;
    uint64_t length = 0;
    const char* const end = scanned + fields.head_bytes;
    for (uint32_t i = 0; i < fields.count; ++i) {
        // The status line stands before every field, so that looking back over the longest name stays inside the head.
        const char* const colon = scanned + fields.colons[i];
        const char* value = colon + 1;
        while (is_blank(*value)) ++value;  // a line end stops it at the latest
        if (colon[-15] == '\n' && matches8(colon - 14, "content-") && matches8(colon - 8, "t-length")) {
            if ((facts & kHasLength) != 0 || !whole_number(value, &length)) return 0;
            facts |= kHasLength;
        } else if (colon[-11] == '\n' && matches8(colon - 10, "connecti") && matches8(colon - 8, "nnection")) {
            if (is_keep_alive(value, end))
                facts |= kKeepAlive;
            else if (is_close(value, end))
                facts |= kClose;
            else
                return 0;
        } else if (colon[-18] == '\n' && matches8(colon - 17, "transfer") && matches8(colon - 9, "-encodin") && lower(colon[-1]) == 'g') {
            if ((facts & kHasCoding) != 0 || !is_chunked(value, end)) return 0;
            facts |= kHasCoding | kChunked;
        }
    }
    facts_ = static_cast<uint16_t>(facts);
    length_ = length;
    status_ = static_cast<uint16_t>(status);
    body_bytes_ = 0;
    return static_cast<uint32_t>(kCheckedOctets) + fields.head_bytes;
}

}  // namespace rl::http
