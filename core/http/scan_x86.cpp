// scan_head() with the vector units of x86-64. Each function is compiled for its own processor by attribute and chosen at run time.
//
// The loop stands here three times on purpose: a template shared by them could not be inlined into code for AVX2.
#include "core/http/scan_x86.hpp"

#if defined(__x86_64__)

#include <immintrin.h>

#include <cstring>

#include "core/http/scan_block.hpp"

#define RL_AVX2 __attribute__((target("avx2,bmi,bmi2")))
#define RL_AVX512 __attribute__((target("avx2,bmi,bmi2,avx512f,avx512bw,avx512vbmi")))

namespace rl::http {
namespace {

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

RL_AVX2 RL_INLINE uint64_t bits(__m256i low, __m256i high) noexcept {
    return static_cast<uint32_t>(_mm256_movemask_epi8(low)) |
           static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(high))) << 32;
}

RL_AVX2 RL_INLINE __m256i word_avx2(__m256i v) noexcept {
    constexpr char kDigit = kRowDigits | kRowLetters | kRowUpperEnd | kRowLowerEnd;  // columns 1..9 of all rows
    const __m256i by_low = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(kDigit & ~kRowLetters, kDigit, kDigit, kDigit, kDigit, kDigit, kDigit, kDigit, kDigit, kDigit, kDigit & ~kRowDigits,
                      kRowLetters, kRowLetters, kRowLetters | kRowMinus, kRowLetters, kRowLetters | kRowUpperEnd));
    const __m256i by_high = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 0, kRowMinus, kRowDigits, kRowLetters, kRowUpperEnd, kRowLetters,
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

RL_AVX512 RL_INLINE uint64_t equal_avx512(__m512i v, char octet) noexcept {
    return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(octet));
}

RL_AVX512 RL_INLINE uint64_t among_avx512(__m512i v, char first, char count) noexcept {
    return _mm512_cmplt_epu8_mask(_mm512_sub_epi8(v, _mm512_set1_epi8(first)), _mm512_set1_epi8(count));
}

RL_AVX512 RL_INLINE Block block_avx512(__m512i v) noexcept {
    const uint64_t letter = among_avx512(_mm512_or_si512(v, _mm512_set1_epi8(0x20)), 'a', 26);
    return Block{equal_avx512(v, '\n'), equal_avx512(v, '\r'), equal_avx512(v, ':'),
                 letter | among_avx512(v, '0', 10) | equal_avx512(v, '-') | equal_avx512(v, '_'),
                 among_avx512(v, 0, 32) | equal_avx512(v, 127)};
}

}  // namespace

void scan_head_sse2(const char* data, size_t size, HeadScan* out) noexcept {
    ScanState state;
    out->head_bytes = out->count = 0;
    size_t base = 0;
    for (; size - base >= kBlockOctets; base += kBlockOctets) {
        if (!scan_block(block_sse2(data + base), data, size, base, &state, out)) return;
    }
    if (base == size) return;
    char padded[kBlockOctets] = {};
    if (size < kBlockOctets) std::memcpy(padded, data, size);
    const Block block = size < kBlockOctets ? first_octets(block_sse2(padded), size)
                                            : last_octets(block_sse2(data + size - kBlockOctets), size - base);
    scan_block(block, data, size, base, &state, out);
}

RL_AVX2 void scan_head_avx2(const char* data, size_t size, HeadScan* out) noexcept {
    ScanState state;
    out->head_bytes = out->count = 0;
    size_t base = 0;
    for (; size - base >= kBlockOctets; base += kBlockOctets) {
        if (!scan_block(block_avx2(data + base), data, size, base, &state, out)) return;
    }
    if (base == size) return;
    char padded[kBlockOctets] = {};
    if (size < kBlockOctets) std::memcpy(padded, data, size);
    const Block block = size < kBlockOctets ? first_octets(block_avx2(padded), size)
                                            : last_octets(block_avx2(data + size - kBlockOctets), size - base);
    scan_block(block, data, size, base, &state, out);
}

RL_AVX512 void scan_head_avx512(const char* data, size_t size, HeadScan* out) noexcept {
    ScanState state;
    out->head_bytes = out->count = 0;
    size_t base = 0;
    for (; size - base >= kBlockOctets; base += kBlockOctets) {
        if (!scan_block(block_avx512(_mm512_loadu_si512(data + base)), data, size, base, &state, out)) return;
    }
    if (base == size) return;
    const __mmask64 keep = (uint64_t{1} << (size - base)) - 1;  // octets that are masked out are not touched
    const Block block = block_avx512(_mm512_maskz_loadu_epi8(keep, data + base));
    scan_block(first_octets(block, size - base), data, size, base, &state, out);
}

}  // namespace rl::http

#endif
