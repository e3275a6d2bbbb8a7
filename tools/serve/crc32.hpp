// CRC-32 (the polynomial of zlib and Ethernet), eight octets a step, to say what body arrived without keeping it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rl::serve {
namespace detail {

constexpr std::array<std::array<uint32_t, 256>, 8> make_crc_tables() {
    std::array<std::array<uint32_t, 256>, 8> tables{};
    for (uint32_t octet = 0; octet < 256; ++octet) {
        uint32_t value = octet;
        for (int bit = 0; bit < 8; ++bit) value = (value >> 1) ^ ((value & 1) != 0 ? 0xEDB88320U : 0U);
        tables[0][octet] = value;
    }
    for (size_t row = 1; row < 8; ++row) {
        for (size_t octet = 0; octet < 256; ++octet) {
            const uint32_t before = tables[row - 1][octet];
            tables[row][octet] = (before >> 8) ^ tables[0][before & 0xFF];
        }
    }
    return tables;
}

inline constexpr auto kCrcTables = make_crc_tables();

}  // namespace detail

// Continues `crc` (0 at the start) over more octets; equals zlib's crc32 of everything fed so far.
inline uint32_t crc32_of(uint32_t crc, std::string_view octets) {
    const auto& tables = detail::kCrcTables;
    const auto* at = reinterpret_cast<const unsigned char*>(octets.data());
    size_t left = octets.size();
    crc = ~crc;
    for (; left >= 8; left -= 8, at += 8) {
        const uint32_t low = crc ^ (uint32_t{at[0]} | uint32_t{at[1]} << 8 | uint32_t{at[2]} << 16 | uint32_t{at[3]} << 24);
        crc = tables[7][low & 0xFF] ^ tables[6][(low >> 8) & 0xFF] ^ tables[5][(low >> 16) & 0xFF] ^ tables[4][low >> 24] ^
              tables[3][at[4]] ^ tables[2][at[5]] ^ tables[1][at[6]] ^ tables[0][at[7]];
    }
    for (; left > 0; --left, ++at) crc = (crc >> 8) ^ tables[0][(crc ^ *at) & 0xFF];
    return ~crc;
}

}  // namespace rl::serve
