// Finds the lines that matter in a head that lies whole in the input, by bitmaps of 64 octets, and checks the syntax of all lines.
//
// Pure functions, any thread. Four ways to the same answer: plain C++ everywhere, SSE2 on every x86-64, AVX2 and AVX-512 where the
// processor has them. No octet outside the input is touched, not even by a wide load.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rl::http {

// Where the fields are whose names have the length of Connection, Content-Length or Transfer-Encoding.
struct HeadScan {
    static constexpr uint32_t kFieldsMax = 16;
    uint32_t head_bytes;  // 0: the head is not whole, or holds something unusual: see scan_head()
    uint32_t count;
    uint32_t colons[kFieldsMax];  // offsets of the octets behind the names
};

// HOT. data begins anywhere in a status line, which the caller checks, and offsets count from there. Unusual, though not always wrong:
// control characters, CR without LF, names with other octets than letters, digits, - and _, lines without a name, continued lines, more
// than kFieldsMax candidates.
void scan_head(const char* data, size_t size, HeadScan* out) noexcept;

enum class ScanWay : uint8_t { scalar, sse2, avx2, avx512 };
bool has_way(ScanWay way) noexcept;                                                     // false also where it is not compiled in
void scan_head_by(ScanWay way, const char* data, size_t size, HeadScan* out) noexcept;  // for tests and benches; only if has_way()

}  // namespace rl::http
