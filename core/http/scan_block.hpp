// One step of scan_head(): what follows from the bitmaps of 64 octets. Included only by the files that make the bitmaps.
//
// All functions are inlined into loops that are compiled for different processors, so nothing here may be left for the linker to merge.
#pragma once

#include "core/http/scan.hpp"

#define RL_INLINE __attribute__((always_inline)) inline

namespace rl::http {

// Bit i stands for octet i of the block; bits behind the end of the input are 0.
struct Block {
    uint64_t newline;   // LF
    uint64_t carriage;  // CR
    uint64_t colon;
    uint64_t word;     // letters, digits, - and _: what field names are made of in practice
    uint64_t control;  // 0..31 but CR and LF
};
inline constexpr size_t kBlockOctets = 64;

// The first `octets` bits of a block that was read from padded input.
RL_INLINE Block first_octets(const Block& block, size_t octets) noexcept {
    const uint64_t keep = (uint64_t{1} << octets) - 1;
    return Block{block.newline & keep, block.carriage & keep, block.colon & keep, block.word & keep, block.control & keep};
}

// The last `octets` bits of a block that was read from the last 64 octets of the input.
RL_INLINE Block last_octets(const Block& block, size_t octets) noexcept {
    const size_t by = kBlockOctets - octets;
    return Block{block.newline >> by, block.carriage >> by, block.colon >> by, block.word >> by, block.control >> by};
}

// What one block leaves for the next.
struct ScanState {
    uint64_t newline = 0;   // the last octet was LF: a line starts
    uint64_t carriage = 0;  // the last octet was CR: LF must follow
    uint64_t in_name = 0;   // a name runs on
    uint64_t reach = 0;     // where names may end that started in the block before
};

RL_INLINE uint64_t rotate(uint64_t bits, unsigned by) noexcept { return bits << by | bits >> (64 - by); }

// Takes the block at `base`. False: stop, the verdict is in *out.
RL_INLINE bool scan_block(const Block& block, const char* data, size_t size, size_t base, ScanState* state, HeadScan* out) noexcept {
    const uint64_t starts = block.newline << 1 | state->newline;
    // Adding line starts to word octets ripples through each name and leaves a bit on the octet behind it.
    uint64_t sum = 0;
    const bool over = __builtin_add_overflow(block.word, starts | state->in_name, &sum);
    const uint64_t ends = sum & ~block.word;
    const uint64_t nameless = starts & ~block.word;
    uint64_t odd = block.control | ((block.carriage << 1 | state->carriage) & ~block.newline) | (ends & ~(nameless | block.colon));
    // Connection, Content-Length, Transfer-Encoding. What rotates out at the top is for the next block; the few false hits that this
    // leaves in the low bits cost a comparison each.
    const uint64_t reach = rotate(starts, 10) | rotate(starts, 14) | rotate(starts, 17);
    uint64_t known = ends & (reach | state->reach);
    if (nameless != 0) {
        // An empty line ends the head; what else has no name is for the octet-wise reader.
        const auto at = static_cast<size_t>(__builtin_ctzll(nameless));
        const uint64_t below = (uint64_t{1} << at) - 1;
        odd &= below;
        known &= below;
        // A line that would start behind the end of the input shows as one without a name as well.
        const size_t position = base + at;
        if (position < size && data[position] == '\n') out->head_bytes = static_cast<uint32_t>(position + 1);
        if (position + 1 < size && data[position] == '\r' && data[position + 1] == '\n') {
            out->head_bytes = static_cast<uint32_t>(position + 2);
        }
    }
    for (; known != 0; known &= known - 1) {
        if (out->count == HeadScan::kFieldsMax) {
            odd = 1;
            break;
        }
        out->colons[out->count++] = static_cast<uint32_t>(base + static_cast<size_t>(__builtin_ctzll(known)));
    }
    if (odd != 0) out->head_bytes = 0;
    *state = {block.newline >> 63, block.carriage >> 63, over, reach & 0x1ffff};
    return (nameless | odd) == 0;
}

}  // namespace rl::http
