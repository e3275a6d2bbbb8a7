// Answers from a hostile server. The first octet says what the request was, the second where the input is cut; the rest is the stream.
// Whole, cut in two and octet by octet must come to the same, and all ways to scan a head must agree.
#include <cstdlib>
#include <cstring>

#include "core/http/scan.hpp"
#include "tests/http/owner.hpp"

namespace {

using rl::http::RequestKind;
using rl::test::Owner;

void require(bool holds) {
    if (!holds) std::abort();
}

void check_ways(std::string_view octets) {
    using rl::http::ScanWay;
    rl::http::HeadScan plain;
    rl::http::scan_head_by(ScanWay::scalar, octets.data(), octets.size(), &plain);
    for (const ScanWay way : {ScanWay::sse2, ScanWay::avx2, ScanWay::avx512}) {
        if (!rl::http::has_way(way)) continue;
        rl::http::HeadScan found;
        rl::http::scan_head_by(way, octets.data(), octets.size(), &found);
        require(found.head_bytes == plain.head_bytes);
        if (plain.head_bytes == 0) continue;
        require(found.count == plain.count && std::memcmp(found.colons, plain.colons, plain.count * sizeof plain.colons[0]) == 0);
    }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    static rl::test::GuardPage page(1 << 20);
    if (size < 2 || size > 1 << 20) return 0;
    const std::string_view octets(reinterpret_cast<const char*>(data) + 2, size - 2);
    const std::deque<RequestKind> requests(4, static_cast<RequestKind>(data[0] % 3));
    check_ways(octets);

    Owner whole(requests, page), cut(requests, page), single(requests, page);
    whole.bytes(octets);
    const size_t at = octets.size() * data[1] / 256;
    cut.bytes(octets.substr(0, at));
    if (const uint64_t n = std::min<uint64_t>(cut.skippable(), octets.size() - at); n != 0) {  // as if the kernel had dropped them
        cut.skip(n);
        cut.bytes(octets.substr(at + n));
    } else {
        cut.bytes(octets.substr(at));
    }
    for (size_t i = 0; i < octets.size(); ++i) single.bytes(octets.substr(i, 1));
    for (Owner* owner : {&whole, &cut, &single}) owner->end(rl::test::Ending::fin);
    require(whole.outcome == cut.outcome);
    require(whole.outcome == single.outcome);
    return 0;
}
