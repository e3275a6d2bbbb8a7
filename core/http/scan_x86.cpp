// scan() with the vector units of x86-64: SSE2, which all of them have, and AVX2, compiled by function attribute and chosen at run time.
//
// The loop stands here twice on purpose: a template shared by both could not be inlined into code for AVX2.
#include "core/http/scan.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#define RL_AVX2 __attribute__((target("avx2")))
#define RL_INLINE __attribute__((always_inline)) inline

namespace rl::http {
namespace {

// The first `octets` bits of a block that was read from 64 octets of padded input.
RL_INLINE Block first_octets(const Block& block, size_t octets) noexcept {
    const uint64_t keep = (uint64_t{1} << octets) - 1;
    return Block{block.newline & keep, block.carriage & keep, block.colon & keep, block.word & keep, block.control & keep};
}

// The last `octets` bits of a block that was read from the last 64 octets of the input.
RL_INLINE Block last_octets(const Block& block, size_t octets) noexcept {
    const size_t by = kBlockOctets - octets;
    return Block{block.newline >> by, block.carriage >> by, block.colon >> by, block.word >> by, block.control >> by};
}

RL_INLINE uint64_t bits(__m128i lanes) noexcept { return static_cast<uint32_t>(_mm_movemask_epi8(lanes)); }

RL_INLINE __m128i at_most(__m128i octets, char limit) noexcept {  // unsigned
    return _mm_cmpeq_epi8(_mm_min_epu8(octets, _mm_set1_epi8(limit)), octets);
}

RL_INLINE Block block_sse2(const char* data) noexcept {
    Block block{};
    for (unsigned i = 0; i < 4; ++i) {
        const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(data + 16 * i));
        const __m128i letter = at_most(_mm_sub_epi8(_mm_or_si128(v, _mm_set1_epi8(0x20)), _mm_set1_epi8('a')), 25);
        const __m128i digit = at_most(_mm_sub_epi8(v, _mm_set1_epi8('0')), 9);
        const __m128i joint = _mm_or_si128(_mm_cmpeq_epi8(v, _mm_set1_epi8('-')), _mm_cmpeq_epi8(v, _mm_set1_epi8('_')));
        const __m128i control = _mm_or_si128(at_most(v, 31), _mm_cmpeq_epi8(v, _mm_set1_epi8(127)));
        block.newline |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8('\n'))) << (16 * i);
        block.carriage |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8('\r'))) << (16 * i);
        block.colon |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8(':'))) << (16 * i);
        block.word |= bits(_mm_or_si128(_mm_or_si128(letter, digit), joint)) << (16 * i);
        block.control |= bits(control) << (16 * i);
    }
    return block;
}

// Two tables looked up by the halves of an octet; an octet is a word octet if both name a common row.
constexpr char kRowMinus = 1, kRowDigits = 2, kRowLetters = 4, kRowUpperEnd = 8, kRowLowerEnd = 16;

RL_AVX2 RL_INLINE __m256i both_halves(__m128i table) noexcept { return _mm256_broadcastsi128_si256(table); }

RL_AVX2 RL_INLINE uint64_t bits(__m256i low, __m256i high) noexcept {
    return static_cast<uint32_t>(_mm256_movemask_epi8(low)) |
           static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(high))) << 32;
}

RL_AVX2 RL_INLINE __m256i word_avx2(__m256i v) noexcept {
    constexpr char kDigit = kRowDigits | kRowLetters | kRowUpperEnd | kRowLowerEnd;  // columns 1..9 of all rows
    const __m256i by_low =
        both_halves(_mm_setr_epi8(kDigit & ~kRowLetters, kDigit, kDigit, kDigit, kDigit, kDigit, kDigit, kDigit, kDigit, kDigit,
                                  kDigit & ~kRowDigits, kRowLetters, kRowLetters, kRowLetters | kRowMinus, kRowLetters,
                                  kRowLetters | kRowUpperEnd));
    const __m256i by_high = both_halves(_mm_setr_epi8(0, 0, kRowMinus, kRowDigits, kRowLetters, kRowUpperEnd, kRowLetters,
                                                      kRowLowerEnd, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m256i high = _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(15));
    const __m256i row = _mm256_and_si256(_mm256_shuffle_epi8(by_low, v), _mm256_shuffle_epi8(by_high, high));
    return _mm256_cmpgt_epi8(row, _mm256_setzero_si256());
}

RL_AVX2 RL_INLINE __m256i control_avx2(__m256i v) noexcept {
    const __m256i low = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(31)), v);
    return _mm256_or_si256(low, _mm256_cmpeq_epi8(v, _mm256_set1_epi8(127)));
}

RL_AVX2 RL_INLINE uint64_t equal_avx2(__m256i a, __m256i b, char octet) noexcept {
    const __m256i wanted = _mm256_set1_epi8(octet);
    return bits(_mm256_cmpeq_epi8(a, wanted), _mm256_cmpeq_epi8(b, wanted));
}

RL_AVX2 RL_INLINE Block block_avx2(const char* data) noexcept {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + 32));
    return Block{equal_avx2(a, b, '\n'), equal_avx2(a, b, '\r'), equal_avx2(a, b, ':'), bits(word_avx2(a), word_avx2(b)),
                 bits(control_avx2(a), control_avx2(b))};
}

}  // namespace

size_t scan_sse2(const char* data, size_t size, Block* blocks, size_t max) noexcept {
    size_t count = 0;
    uint64_t before = 0;
    for (size_t left = size; left != 0 && count < max;) {
        Block& block = blocks[count++];
        if (left >= kBlockOctets) {
            block = block_sse2(data + (size - left));
            left -= kBlockOctets;
        } else if (size >= kBlockOctets) {
            block = last_octets(block_sse2(data + size - kBlockOctets), left);
            left = 0;
        } else {
            char padded[kBlockOctets] = {};
            std::memcpy(padded, data, size);
            block = first_octets(block_sse2(padded), size);
            left = 0;
        }
        if (may_end_head(block.newline, &before)) break;
    }
    return count;
}

RL_AVX2 size_t scan_avx2(const char* data, size_t size, Block* blocks, size_t max) noexcept {
    size_t count = 0;
    uint64_t before = 0;
    for (size_t left = size; left != 0 && count < max;) {
        Block& block = blocks[count++];
        if (left >= kBlockOctets) {
            block = block_avx2(data + (size - left));
            left -= kBlockOctets;
        } else if (size >= kBlockOctets) {
            block = last_octets(block_avx2(data + size - kBlockOctets), left);
            left = 0;
        } else {
            char padded[kBlockOctets] = {};
            std::memcpy(padded, data, size);
            block = first_octets(block_avx2(padded), size);
            left = 0;
        }
        if (may_end_head(block.newline, &before)) break;
    }
    return count;
}

bool has_avx2() noexcept {
    // Reads a word that libgcc filled in before main; there is nothing to cache.
    return __builtin_cpu_supports("avx2") != 0;
}

}  // namespace rl::http

#endif
