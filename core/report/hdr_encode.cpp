#include "core/report/hdr_encode.hpp"

#include <zlib.h>

#include <bit>
#include <cstdint>
#include <vector>

#include "core/base/assert.hpp"

namespace rl::report {
namespace {

using stats::Histogram;
using Bytes = std::vector<uint8_t>;

// The low nibble pair 0x10 of a cookie says that counts are variable-length words.
constexpr uint32_t kCookie = 0x1c849303 | 0x10;
constexpr uint32_t kCompressedCookie = 0x1c849304 | 0x10;
constexpr uint32_t kSignificantDigits = 3;

template <class T>
void put_big_endian(Bytes& out, T value) {
    for (size_t shift = sizeof(T) * 8; shift != 0;) {
        shift -= 8;
        out.push_back(static_cast<uint8_t>(value >> shift));
    }
}

// Zig-zag, then seven bits an octet, least significant first; the ninth octet, if it comes to that, holds eight.
void put_count(Bytes& out, int64_t value) {
    uint64_t rest = (static_cast<uint64_t>(value) << 1) ^ static_cast<uint64_t>(value >> 63);
    for (int octet = 0; octet < 8; ++octet) {
        if (rest < 0x80) {
            out.push_back(static_cast<uint8_t>(rest));
            return;
        }
        out.push_back(static_cast<uint8_t>(rest | 0x80));
        rest >>= 7;
    }
    out.push_back(static_cast<uint8_t>(rest));
}

// Counts in bucket order; a run of empty buckets is one negative number; what follows the last value is left out.
Bytes counts_of(const Histogram& histogram) {
    constexpr size_t kLast = Histogram::kBuckets - 1;
    Bytes out;
    size_t next = 0;
    uint64_t overflow = histogram.overflow();
    const auto put = [&](size_t bucket, uint64_t count) {
        if (bucket > next) put_count(out, -static_cast<int64_t>(bucket - next));
        put_count(out, static_cast<int64_t>(count));
        next = bucket + 1;
    };
    histogram.each([&](uint64_t low, uint64_t, uint64_t count) {
        const size_t bucket = Histogram::bucket_of(low);
        if (bucket == kLast) {
            count += overflow;
            overflow = 0;
        }
        put(bucket, count);
    });
    if (overflow != 0) put(kLast, overflow);
    return out;
}

Bytes compressed(const Bytes& plain) {
    uLongf size = compressBound(static_cast<uLong>(plain.size()));
    Bytes out(size);
    const int status = compress2(out.data(), &size, plain.data(), static_cast<uLong>(plain.size()), Z_DEFAULT_COMPRESSION);
    RL_ASSERT(status == Z_OK);  // the bound is sufficient; what is left is no memory
    out.resize(size);
    return out;
}

std::string base64(const Bytes& bytes) {
    constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (size_t i = 0; i < bytes.size(); i += 3) {
        const size_t left = bytes.size() - i;
        uint32_t group = static_cast<uint32_t>(bytes[i]) << 16;
        if (left > 1) group |= static_cast<uint32_t>(bytes[i + 1]) << 8;
        if (left > 2) group |= bytes[i + 2];
        out.push_back(kDigits[group >> 18]);
        out.push_back(kDigits[group >> 12 & 63]);
        out.push_back(left > 1 ? kDigits[group >> 6 & 63] : '=');
        out.push_back(left > 2 ? kDigits[group & 63] : '=');
    }
    return out;
}

}  // namespace

std::string encode_hdr_v2(const Histogram& histogram) {
    const Bytes counts = counts_of(histogram);
    Bytes plain;
    plain.reserve(40 + counts.size());
    put_big_endian<uint32_t>(plain, kCookie);
    put_big_endian<uint32_t>(plain, static_cast<uint32_t>(counts.size()));
    put_big_endian<uint32_t>(plain, 0);  // normalizing index offset
    put_big_endian<uint32_t>(plain, kSignificantDigits);
    put_big_endian<uint64_t>(plain, 1);  // lowest discernible value
    put_big_endian<uint64_t>(plain, Histogram::kLimit - 1);
    put_big_endian<uint64_t>(plain, std::bit_cast<uint64_t>(1.0));  // integer to double conversion ratio
    plain.insert(plain.end(), counts.begin(), counts.end());

    const Bytes packed = compressed(plain);
    Bytes out;
    out.reserve(8 + packed.size());
    put_big_endian<uint32_t>(out, kCompressedCookie);
    put_big_endian<uint32_t>(out, static_cast<uint32_t>(packed.size()));
    out.insert(out.end(), packed.begin(), packed.end());
    return base64(out);
}

}  // namespace rl::report
