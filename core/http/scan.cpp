// The plain way, for all processors and as the yardstick of the tests, and the choice between the ways.
#include "core/http/octets.hpp"
#include "core/http/scan_block.hpp"
#include "core/http/scan_x86.hpp"

namespace rl::http {
namespace {

Block block_scalar(const char* data, size_t octets) noexcept {
    Block block{};
    for (size_t i = 0; i < octets; ++i) {
        const char c = data[i];
        const uint64_t bit = uint64_t{1} << i;
        if (c == '\n') block.newline |= bit;
        if (c == '\r') block.carriage |= bit;
        if (c == ':') block.colon |= bit;
        if (static_cast<unsigned char>(c) < 32 && c != '\r' && c != '\n') block.control |= bit;
        if (is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '-' || c == '_') block.word |= bit;
    }
    return block;
}

void scan_head_scalar(const char* data, size_t size, HeadScan* out) noexcept {
    ScanState state;
    out->head_bytes = out->count = 0;
    for (size_t base = 0; base < size; base += kBlockOctets) {
        const size_t octets = size - base < kBlockOctets ? size - base : kBlockOctets;
        if (!scan_block(block_scalar(data + base, octets), data, size, base, &state, out)) return;
    }
}

}  // namespace

bool has_way(ScanWay way) noexcept {
#if defined(__x86_64__)
    // Reads a word that the compiler's runtime filled in before main; there is nothing to cache.
    if (way == ScanWay::avx512) return __builtin_cpu_supports("avx512vbmi") != 0 && __builtin_cpu_supports("avx512bw") != 0;
    return way != ScanWay::avx2 || __builtin_cpu_supports("avx2") != 0;
#else
    return way == ScanWay::scalar;
#endif
}

void scan_head_by(ScanWay way, const char* data, size_t size, HeadScan* out) noexcept {
    switch (way) {
#if defined(__x86_64__)
        case ScanWay::avx512:
            return scan_head_avx512(data, size, out);
        case ScanWay::avx2:
            return scan_head_avx2(data, size, out);
        case ScanWay::sse2:
            return scan_head_sse2(data, size, out);
#endif
        default:
            return scan_head_scalar(data, size, out);
    }
}

void scan_head(const char* data, size_t size, HeadScan* out) noexcept {
#if defined(__x86_64__)
    if (has_way(ScanWay::avx512)) return scan_head_avx512(data, size, out);
    if (has_way(ScanWay::avx2)) return scan_head_avx2(data, size, out);
    return scan_head_sse2(data, size, out);
#else
    return scan_head_scalar(data, size, out);
#endif
}

}  // namespace rl::http
