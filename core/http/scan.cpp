// The plain way, for all processors and as the yardstick of the tests, and the choice between the ways.
#include "core/http/scan.hpp"

#include "core/http/octets.hpp"

namespace rl::http {

size_t scan_scalar(const char* data, size_t size, Block* blocks, size_t max) noexcept {
    size_t count = 0;
    uint64_t before = 0;
    for (size_t offset = 0; offset < size && count < max; offset += kBlockOctets) {
        Block block{};
        const size_t octets = size - offset < kBlockOctets ? size - offset : kBlockOctets;
        for (size_t i = 0; i < octets; ++i) {
            const char c = data[offset + i];
            const uint64_t bit = uint64_t{1} << i;
            if (c == '\n') block.newline |= bit;
            if (c == '\r') block.carriage |= bit;
            if (c == ':') block.colon |= bit;
            if (is(kControl, c) || c == '\t') block.control |= bit;
            if (is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '-' || c == '_') block.word |= bit;
        }
        blocks[count++] = block;
        if (may_end_head(block.newline, &before)) break;
    }
    return count;
}

size_t scan(const char* data, size_t size, Block* blocks, size_t max) noexcept {
#if defined(__x86_64__)
    return has_avx2() ? scan_avx2(data, size, blocks, max) : scan_sse2(data, size, blocks, max);
#else
    return scan_scalar(data, size, blocks, max);
#endif
}

}  // namespace rl::http
