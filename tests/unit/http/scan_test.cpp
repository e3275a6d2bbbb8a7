// Heads by bitmaps: what is found, what is left to the octet-wise reader, and that all ways of this processor say the same.
#include <gtest/gtest.h>

#include "core/http/scan.hpp"
#include "tests/support/guard_page.hpp"
#include "tests/unit/http/octet_source.hpp"

namespace rl::http {
namespace {

class EachWay : public testing::TestWithParam<ScanWay> {
  protected:
    void SetUp() override {
        if (!has_way(GetParam())) GTEST_SKIP() << "this processor has no such instructions";
    }
    HeadScan scan(std::string_view octets) {
        HeadScan found;
        scan_head_by(GetParam(), page_.place(octets), octets.size(), &found);
        return found;
    }
    uint32_t head_bytes(std::string_view octets) { return scan(octets).head_bytes; }

    test::GuardPage page_{1 << 16};
};

TEST_P(EachWay, FindsTheEndOfHeadsOfEverySize) {
    for (size_t pad = 0; pad < 300; ++pad) {
        const std::string head = test::head_with(std::string("X: ").append(pad, 'x').append("\r\n"));
        EXPECT_EQ(head_bytes(head), head.size());
        EXPECT_EQ(head_bytes(head + "body: \n\n\r\n\x01"), head.size()) << "what follows does not matter";
        EXPECT_EQ(head_bytes(std::string_view(head).substr(0, head.size() - 1)), 0u) << "one octet is missing";
        EXPECT_EQ(head_bytes(std::string_view(head).substr(0, head.size() - 2)), 0u) << "the empty line is missing";
    }
}

TEST_P(EachWay, FindsTheFieldsThatMatterAtEveryPlace) {
    for (size_t pad = 0; pad < 200; ++pad) {
        const std::string before = std::string("HTTP/1.1 200 OK\r\nX: ").append(pad, 'x').append("\r\n");
        for (const std::string_view name : {"Connection", "content-length", "Transfer-Encoding"}) {
            const std::string head = std::string(before).append(name).append(": 1\r\n\r\n");
            const HeadScan found = scan(head);
            ASSERT_EQ(found.head_bytes, head.size());
            bool seen = false;
            for (uint32_t i = 0; i < found.count; ++i) seen = seen || found.colons[i] == before.size() + name.size();
            EXPECT_TRUE(seen) << name << " behind " << before.size() << " octets";
        }
    }
}

TEST_P(EachWay, TakesLinesThatEndInLineFeedAlone) {
    const std::string head = "HTTP/1.1 200 OK\nContent-Length: 5\n\n";
    EXPECT_EQ(head_bytes(head), head.size());
}

TEST_P(EachWay, LeavesWhatIsUnusualToTheOtherReader) {
    for (size_t pad = 0; pad < 140; ++pad) {
        const std::string filler = std::string("X: ").append(pad, 'x').append("\r\n");
        for (const std::string_view line :
             {"NoColon\r\n", "Name : v\r\n", ": v\r\n", "A: b\r\n c\r\n", "A: b\rc\r\n", "A: b\r\r\n", " A: b\r\n", "A.b: c\r\n",
              "\"A: b\"\r\n", "A: b\x01\r\n", "A: b\x1d\r\n", "A\x19: b\r\n", "A\xe4: b\r\n", "A: \tb\r\n"}) {
            EXPECT_EQ(head_bytes(test::head_with(std::string(filler).append(line))), 0u) << "after " << pad << ": " << line;
        }
        const std::string nul = std::string("A: b") + '\0' + "\r\n";
        EXPECT_EQ(head_bytes(test::head_with(filler + nul)), 0u);
        EXPECT_EQ(head_bytes(test::head_with(filler + std::string("A: b") + '\0' + "\n")), 0u) << "a control may not pass for the CR";
    }
}

TEST_P(EachWay, GivesUpOnMoreCandidatesThanItKeeps) {
    std::string fields;
    for (uint32_t i = 0; i < HeadScan::kFieldsMax; ++i) fields += "Connection: a\r\n";
    const std::string most = test::head_with(fields);
    EXPECT_EQ(head_bytes(most), most.size());
    EXPECT_EQ(head_bytes(test::head_with(fields + "Connection: a\r\n")), 0u);
}

std::string way_name(const testing::TestParamInfo<ScanWay>& info) {
    constexpr const char* kWays[] = {"scalar", "sse2", "avx2", "avx512"};
    return kWays[static_cast<size_t>(info.param)];
}
INSTANTIATE_TEST_SUITE_P(Scan, EachWay, testing::Values(ScanWay::scalar, ScanWay::sse2, ScanWay::avx2, ScanWay::avx512), way_name);

bool same(const HeadScan& a, const HeadScan& b) {
    if (a.head_bytes != b.head_bytes) return false;
    if (a.head_bytes == 0) return true;  // what was found on the way does not count
    return a.count == b.count && std::equal(a.colons, a.colons + a.count, b.colons);
}

TEST(ScanWays, AgreeOnNoiseAndOnHeads) {
    const uint64_t seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::OctetSource source(seed);
    test::GuardPage page(1 << 16);
    size_t whole = 0;
    for (int round = 0; round < 20'000; ++round) {
        const std::string octets = source.below(2) == 0 ? source.head() + source.noise(source.below(80)) : source.noise(source.below(400));
        const char* at = page.place(octets);
        HeadScan plain;
        scan_head_by(ScanWay::scalar, at, octets.size(), &plain);
        whole += plain.head_bytes != 0;
        for (const ScanWay way : {ScanWay::sse2, ScanWay::avx2, ScanWay::avx512}) {
            if (!has_way(way)) continue;
            HeadScan found;
            scan_head_by(way, at, octets.size(), &found);
            ASSERT_TRUE(same(plain, found)) << "way " << static_cast<int>(way) << ", round " << round << ":\n" << octets;
        }
    }
    EXPECT_GT(whole, 1000u) << "the source makes too few good heads to show anything";
}

}  // namespace
}  // namespace rl::http
