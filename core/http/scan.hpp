// Turns octets into bitmaps, 64 at a time, so that heads can be read without looking at each octet.
//
// Pure functions, any thread. Three ways to the same answer: plain C++ everywhere, SSE2 on every x86-64, AVX2 where the processor has
// it. No octet outside the input is touched, not even by a wide load.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rl::http {

// Bit i stands for octet i of the block; bits behind the end of the input are 0.
struct Block {
    uint64_t newline;   // LF
    uint64_t carriage;  // CR
    uint64_t colon;
    uint64_t word;     // letters, digits, - and _: what field names are made of in practice
    uint64_t control;  // 0..31 and DEL, with HT, CR and LF
};

inline constexpr size_t kBlockOctets = 64;

// Fills blocks from the front and returns how many: to the end of the input, to `max`, or to the first block in which an empty line
// may end (a LF at most two octets behind another), whichever comes first. HOT.
using ScanFn = size_t (*)(const char* data, size_t size, Block* blocks, size_t max) noexcept;
size_t scan(const char* data, size_t size, Block* blocks, size_t max) noexcept;

size_t scan_scalar(const char* data, size_t size, Block* blocks, size_t max) noexcept;
#if defined(__x86_64__)
size_t scan_sse2(const char* data, size_t size, Block* blocks, size_t max) noexcept;
size_t scan_avx2(const char* data, size_t size, Block* blocks, size_t max) noexcept;  // only if has_avx2()
bool has_avx2() noexcept;
#endif

// True if a LF of this block stands one or two octets behind another LF; the last two octets of the block before are in *before.
inline bool may_end_head(uint64_t newline, uint64_t* before) noexcept {
    const uint64_t earlier = (newline << 1) | (newline << 2) | *before;
    // Bit 63 reaches the first two octets of the next block, bit 62 only the first.
    *before = ((newline >> 63) * 3) | ((newline >> 62) & 1);
    return (newline & earlier) != 0;
}

}  // namespace rl::http
