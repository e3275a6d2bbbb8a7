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
        const __m128i newline = _mm_cmpeq_epi8(v, _mm_set1_epi8('\n'));
        const __m128i carriage = _mm_cmpeq_epi8(v, _mm_set1_epi8('\r'));
        const __m128i control = _mm_andnot_si128(_mm_or_si128(newline, carriage), at_most(v, 31));
        block.newline |= bits(newline) << (16 * i);
        block.carriage |= bits(carriage) << (16 * i);
        block.colon |= bits(_mm_cmpeq_epi8(v, _mm_set1_epi8(':'))) << (16 * i);
        block.word |= bits(_mm_or_si128(_mm_or_si128(letter, digit), joint)) << (16 * i);
        block.control |= bits(control) << (16 * i);
    }
    return block;
}

// Two tables looked up by the halves of an octet; the rows that both name say what it is.
enum Row : uint8_t {
    kMinus = 1,
    kDigits = 2,
    kLetters = 4,
    kUpperEnd = 8,
    kLowerEnd = 16,
    kWord = 31,
    kSecondControls = 64,
    kFirstControls = 128
};

struct HalfTables {
    alignas(16) char low[16];
    alignas(16) char high[16];
};
constexpr HalfTables half_tables() {
    HalfTables tables{};
    for (unsigned column = 0; column < 16; ++column) {
        unsigned rows = kSecondControls;
        if (column == 13) rows |= kMinus;
        if (column < 10) rows |= kDigits;
        if (column != 0) rows |= kLetters;
        if (column <= 10 || column == 15) rows |= kUpperEnd;  // P..Z and _
        if (column <= 10) rows |= kLowerEnd;
        if (column != 10 && column != 13) rows |= kFirstControls;  // not LF, not CR
        tables.low[column] = static_cast<char>(rows);
    }
    constexpr uint8_t kHigh[8] = {kFirstControls, kSecondControls, kMinus, kDigits, kLetters, kUpperEnd, kLetters, kLowerEnd};
    for (unsigned row = 0; row < 8; ++row) tables.high[row] = static_cast<char>(kHigh[row]);
    return tables;
}
constexpr HalfTables kHalves = half_tables();

RL_AVX2 RL_INLINE __m256i rows_avx2(__m256i v) noexcept {
    const __m256i low = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(kHalves.low)));
    const __m256i high = _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(kHalves.high)));
    const __m256i upper = _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(15));
    return _mm256_and_si256(_mm256_shuffle_epi8(low, v), _mm256_shuffle_epi8(high, upper));
}

RL_AVX2 RL_INLINE uint64_t bits(__m256i low, __m256i high) noexcept {
    return static_cast<uint32_t>(_mm256_movemask_epi8(low)) | static_cast<uint64_t>(static_cast<uint32_t>(_mm256_movemask_epi8(high)))
                                                                  << 32;
}

RL_AVX2 RL_INLINE uint64_t equal_avx2(__m256i a, __m256i b, char octet) noexcept {
    const __m256i wanted = _mm256_set1_epi8(octet);
    return bits(_mm256_cmpeq_epi8(a, wanted), _mm256_cmpeq_epi8(b, wanted));
}

RL_AVX2 RL_INLINE Block block_avx2(const char* data) noexcept {
    const __m256i a = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data));
    const __m256i b = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(data + 32));
    const __m256i rows_a = rows_avx2(a), rows_b = rows_avx2(b);
    const __m256i zero = _mm256_setzero_si256();
    // Adding 64 lifts both rows of controls, and only these, above 127. The second row also counts as word octets here, which is of no
    // consequence: a control makes the head odd whatever its names are.
    const __m256i lift = _mm256_set1_epi8(kSecondControls);
    return Block{equal_avx2(a, b, '\n'), equal_avx2(a, b, '\r'), equal_avx2(a, b, ':'),
                 bits(_mm256_cmpgt_epi8(rows_a, zero), _mm256_cmpgt_epi8(rows_b, zero)),
                 bits(_mm256_add_epi8(rows_a, lift), _mm256_add_epi8(rows_b, lift))};
}

struct WordTable {
    alignas(64) char octets[128];  // bit 7: letters, digits, - and _
};
constexpr WordTable word_table() {
    WordTable table{};
    for (unsigned c = 0; c < 128; ++c) {
        const bool word = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_';
        table.octets[c] = static_cast<char>(word ? 0x80 : 0);
    }
    return table;
}
constexpr WordTable kWords = word_table();

RL_AVX512 RL_INLINE uint64_t equal_avx512(__m512i v, char octet) noexcept { return _mm512_cmpeq_epi8_mask(v, _mm512_set1_epi8(octet)); }

RL_AVX512 RL_INLINE Block block_avx512(__m512i v) noexcept {
    const __m512i words = _mm512_permutex2var_epi8(_mm512_load_si512(kWords.octets), v, _mm512_load_si512(kWords.octets + 64));
    uint64_t newline = equal_avx512(v, '\n'), carriage = equal_avx512(v, '\r');
    uint64_t low = _mm512_cmplt_epu8_mask(v, _mm512_set1_epi8(32));
    // WHY: left to itself, gcc 12 combines these in mask registers, whose one port is what limits this loop (parser_bench, 2026-11).
    asm("" : "+r"(newline), "+r"(carriage), "+r"(low));
    // The look-up ignores bit 7 of the octet; taking it away from the result leaves only octets below 128.
    return Block{newline, carriage, equal_avx512(v, ':'), _mm512_movepi8_mask(~v & words), low & ~newline & ~carriage};
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
    const Block block =
        size < kBlockOctets ? first_octets(block_sse2(padded), size) : last_octets(block_sse2(data + size - kBlockOctets), size - base);
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
    const Block block =
        size < kBlockOctets ? first_octets(block_avx2(padded), size) : last_octets(block_avx2(data + size - kBlockOctets), size - base);
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
