// What single octets may be in HTTP/1.1 (RFC 9110 5.6.2, RFC 9112) and in URLs (RFC 3986): one table, made by the compiler.
#pragma once

#include <array>
#include <cstdint>

namespace rl::http {

enum OctetClass : uint8_t {
    kToken = 1 << 0,    // may stand in a field name or method
    kControl = 1 << 1,  // 0..31 without HT: never inside a line of a head; DEL is let pass there (RFC 9110 5.5)
    kHexDigit = 1 << 2,
    kUrlOctet = 1 << 3,  // may stand unescaped in a path or query
    kHostOctet = 1 << 4  // may stand in a registered name without escapes
};

namespace detail {
constexpr bool one_of(unsigned octet, const char* set) {
    for (; *set != '\0'; ++set) {
        if (static_cast<unsigned char>(*set) == octet) return true;
    }
    return false;
}

constexpr std::array<uint8_t, 256> octet_table() {
    std::array<uint8_t, 256> table{};
    for (unsigned c = 0; c < 256; ++c) {
        const bool digit = c >= '0' && c <= '9';
        const bool alpha = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        unsigned set = 0;
        if (digit || alpha || one_of(c, "!#$%&'*+-.^_`|~")) set |= kToken;
        if (c < 32 && c != '\t') set |= kControl;
        if (digit || one_of(c, "abcdefABCDEF")) set |= kHexDigit;
        if (digit || alpha || one_of(c, "-._~!$&'()*+,;=:@/?")) set |= kUrlOctet;
        if (digit || alpha || one_of(c, "-._~!$&'()*+,;=")) set |= kHostOctet;
        table[c] = static_cast<uint8_t>(set);
    }
    return table;
}
inline constexpr std::array<uint8_t, 256> kOctets = octet_table();
}  // namespace detail

constexpr bool is(OctetClass octet_class, char c) noexcept { return (detail::kOctets[static_cast<unsigned char>(c)] & octet_class) != 0; }
constexpr bool is_digit(char c) noexcept { return c >= '0' && c <= '9'; }
constexpr bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }
constexpr char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c; }

// The value of a hexadecimal digit; only for octets of kHexDigit.
constexpr unsigned hex_value(char c) noexcept {
    return is_digit(c) ? static_cast<unsigned>(c - '0') : static_cast<unsigned>((c | 0x20) - 'a' + 10);
}

}  // namespace rl::http
