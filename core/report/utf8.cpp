#include "core/report/utf8.hpp"

#include <cstddef>
#include <cstdint>

namespace rl::report {
namespace {

bool in(char octet, unsigned low, unsigned high) {
    const auto value = static_cast<uint8_t>(octet);
    return value >= low && value <= high;
}

// Length of the well-formed sequence at the front of `text`, or 0. The bounds of the second octet exclude overlong forms, surrogates
// and what lies past U+10FFFF.
size_t sequence_at_front(std::string_view text) {
    const auto lead = static_cast<uint8_t>(text[0]);
    if (lead < 0x80) return 1;
    size_t length = 0;
    unsigned low = 0x80;
    unsigned high = 0xbf;
    if (lead >= 0xc2 && lead <= 0xdf) {
        length = 2;
    } else if (lead >= 0xe0 && lead <= 0xef) {
        length = 3;
        if (lead == 0xe0) low = 0xa0;
        if (lead == 0xed) high = 0x9f;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
        length = 4;
        if (lead == 0xf0) low = 0x90;
        if (lead == 0xf4) high = 0x8f;
    }
    if (length == 0 || text.size() < length || !in(text[1], low, high)) return 0;
    for (size_t i = 2; i < length; ++i) {
        if (!in(text[i], 0x80, 0xbf)) return 0;
    }
    return length;
}

}  // namespace

std::string valid_utf8(std::string_view octets) {
    constexpr std::string_view kReplacement = "\xef\xbf\xbd";
    std::string out;
    out.reserve(octets.size());
    while (!octets.empty()) {
        const size_t length = sequence_at_front(octets);
        out += length == 0 ? kReplacement : octets.substr(0, length);
        octets.remove_prefix(length == 0 ? 1 : length);
    }
    return out;
}

}  // namespace rl::report
