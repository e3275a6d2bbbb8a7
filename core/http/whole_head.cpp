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

constexpr size_t kStatusOctets = 13;  // "HTTP/1.1 200 "

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
bool matches4(const char* p, const char* lower_case) noexcept {
    return (load<uint32_t>(p) | 0x20202020) == load<uint32_t>(lower_case);
}

bool line_ends(char c) noexcept { return c == '\r' || c == '\n'; }

}  // namespace

uint32_t ResponseReader::read_whole_head(const char* data, size_t size) noexcept {
    if (size < kStatusOctets) return 0;
    if (load<uint32_t>(data) != load<uint32_t>("HTTP") || load<uint16_t>(data + 4) != load<uint16_t>("/1") || data[6] != '.' ||
        !is_digit(data[7]) || data[8] != ' ') {
        return 0;
    }
    if (!is_digit(data[9]) || data[9] == '0' || !is_digit(data[10]) || !is_digit(data[11])) return 0;
    if (data[12] != ' ' && !line_ends(data[12])) return 0;

    HeadScan fields;
    scan_head(data, size, &fields);
    if (fields.head_bytes == 0 || fields.head_bytes > kHeadBytesMax) return 0;
    facts_ = data[7] == '0' ? kHttp10 : 0;
    length_ = 0;
    for (uint32_t i = 0; i < fields.count; ++i) {
        if (!note_whole_field(data + fields.colons[i], data + fields.head_bytes)) return 0;
    }
    status_ = static_cast<uint16_t>((data[9] - '0') * 100 + (data[10] - '0') * 10 + (data[11] - '0'));
    body_bytes_ = 0;
    return fields.head_bytes;
}

// A field whose name may be one of the three that matter. False: its value is not of the usual kind. The status line stands before every
// field, so that looking back over the longest of the names stays inside the head.
bool ResponseReader::note_whole_field(const char* colon, const char* end) noexcept {
    const char* value = colon + 1;
    while (is_blank(*value)) ++value;  // a line end stops it at the latest
    const auto left = static_cast<size_t>(end - value);
    if (colon[-15] == '\n' && matches8(colon - 14, "content-") && matches8(colon - 8, "t-length")) {
        uint64_t number = 0;
        const char* p = value;
        for (; is_digit(*p); ++p) number = number * 10 + static_cast<uint64_t>(*p - '0');
        if (p == value || p - value > 19 || !line_ends(*p) || has(kHasLength)) return false;
        length_ = number;
        set(kHasLength);
    } else if (colon[-11] == '\n' && matches8(colon - 10, "connecti") && matches8(colon - 8, "nnection")) {
        if (left > 10 && matches8(value, "keep-ali") && matches8(value + 2, "ep-alive") && line_ends(value[10])) {
            set(kKeepAlive);
        } else if (left > 5 && matches4(value, "clos") && lower(value[4]) == 'e' && line_ends(value[5])) {
            set(kClose);
        } else {
            return false;
        }
    } else if (colon[-18] == '\n' && matches8(colon - 17, "transfer") && matches8(colon - 9, "-encodin") && lower(colon[-1]) == 'g') {
        if (left <= 7 || !matches4(value, "chun") || !matches4(value + 3, "nked") || !line_ends(value[7]) || has(kHasCoding)) return false;
        set(kHasCoding | kChunked);
    }
    return true;
}

}  // namespace rl::http
