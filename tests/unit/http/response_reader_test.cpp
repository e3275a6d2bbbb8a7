// The reader beyond the vectors: what it counts, when it is under way, skipping, limits, and that no cut changes what it says.
#include "core/http/response_reader.hpp"

#include <gtest/gtest.h>

#include "tests/http/owner.hpp"
#include "tests/unit/http/octet_source.hpp"

namespace rl::http {
namespace {

using test::head_with;

Step feed(ResponseReader& reader, std::string_view octets, RequestKind kind = RequestKind::normal) {
    return reader.read(octets.data(), octets.size(), kind);
}

TEST(ResponseReader, FitsIntoOneCacheLine) { EXPECT_LE(sizeof(ResponseReader), 64u); }

TEST(ResponseReader, StopsBehindEachOfManyAnswersInOneBuffer) {
    std::string octets;
    const std::string one = head_with("Content-Length: 3\r\n") + "abc";
    for (int i = 0; i < 16; ++i) octets += one;
    ResponseReader reader;
    std::string_view left = octets;
    for (int i = 0; i < 16; ++i) {
        const Step step = feed(reader, left);
        ASSERT_EQ(step.event, Event::response);
        ASSERT_EQ(step.used, one.size());
        EXPECT_EQ(reader.body_bytes(), 3u);
        EXPECT_FALSE(reader.in_message());
        left.remove_prefix(step.used);
    }
    EXPECT_TRUE(left.empty());
}

TEST(ResponseReader, IsUnderWayFromTheFirstOctetToTheLast) {
    const std::string octets = head_with("Content-Length: 2\r\n") + "ok";
    ResponseReader reader;
    EXPECT_FALSE(reader.in_message());
    for (size_t i = 0; i + 1 < octets.size(); ++i) {
        ASSERT_EQ(feed(reader, std::string_view(octets).substr(i, 1)).event, Event::need_more);
        EXPECT_TRUE(reader.in_message());
    }
    EXPECT_EQ(feed(reader, "k").event, Event::response);
    EXPECT_FALSE(reader.in_message());
}

TEST(ResponseReader, StaysUnderWayBehindAnInterimAnswer) {
    ResponseReader reader;
    EXPECT_EQ(feed(reader, "HTTP/1.1 100 Continue\r\n\r\n").event, Event::need_more);
    EXPECT_TRUE(reader.in_message());
    EXPECT_EQ(reader.finish(), Event::error) << "no final answer came";
}

TEST(ResponseReader, CountsInterimAnswersOfEachAnswerApart) {
    const std::string octets =
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + head_with("Content-Length: 0\r\n");
    ResponseReader reader;
    EXPECT_EQ(feed(reader, octets).event, Event::response);
    EXPECT_EQ(reader.informational(), 2u);
    EXPECT_EQ(feed(reader, head_with("Content-Length: 0\r\n")).event, Event::response);
    EXPECT_EQ(reader.informational(), 0u);
}

TEST(ResponseReader, TakesTheEndOfTheStreamByItsPlace) {
    ResponseReader reader;
    EXPECT_EQ(reader.finish(), Event::need_more) << "nothing was under way";
    feed(reader, head_with("Server: t\r\n") + "to the end");
    EXPECT_EQ(reader.finish(), Event::response);
    EXPECT_EQ(reader.body_bytes(), 10u);
    EXPECT_FALSE(reader.keep_alive());
    reader.reset();
    feed(reader, head_with("Content-Length: 5\r\n") + "four");
    EXPECT_EQ(reader.finish(), Event::error);
}

TEST(ResponseReader, ForgetsAFaultOnlyWithReset) {
    ResponseReader reader;
    EXPECT_EQ(feed(reader, "garbage\r\n\r\n").event, Event::error);
    EXPECT_EQ(feed(reader, head_with("Content-Length: 0\r\n")).event, Event::error);
    reader.reset();
    EXPECT_EQ(feed(reader, head_with("Content-Length: 0\r\n")).event, Event::response);
}

TEST(ResponseReader, LetsTheKernelDiscardSizedBodies) {
    ResponseReader reader;
    EXPECT_EQ(reader.skippable(), 0u);
    feed(reader, head_with("Content-Length: 1000000\r\n") + "ten octets");
    EXPECT_EQ(reader.skippable(), 999'990u);
    EXPECT_EQ(reader.skip(999'000).event, Event::need_more);
    EXPECT_EQ(reader.skippable(), 990u);
    EXPECT_EQ(reader.skip(990).event, Event::response);
    EXPECT_EQ(reader.body_bytes(), 1'000'000u);
    EXPECT_EQ(reader.skippable(), 0u);
}

TEST(ResponseReader, LetsTheKernelDiscardChunks) {
    ResponseReader reader;
    feed(reader, head_with("Transfer-Encoding: chunked\r\n") + "ffff\r\nab");
    EXPECT_EQ(reader.skippable(), 0xfffdu);
    EXPECT_EQ(reader.skip(0xfffd).event, Event::need_more);
    EXPECT_EQ(reader.skippable(), 0u) << "a line end must be looked at";
    EXPECT_EQ(feed(reader, "\r\n0\r\n\r\n").event, Event::response);
    EXPECT_EQ(reader.body_bytes(), 0xffffu);
}

TEST(ResponseReader, BodyToTheEndOfTheStreamIsNotSized) {
    ResponseReader reader;
    feed(reader, head_with("Server: t\r\n"));
    EXPECT_EQ(reader.skippable(), 0u);
}

// What an answer comes to: the status and body of the one that is complete, "more" or "error".
std::string outcome(std::string_view octets, RequestKind kind = RequestKind::normal) {
    ResponseReader reader;
    const Step step = feed(reader, octets, kind);
    if (step.event == Event::need_more) return "more";
    if (step.event == Event::error) return "error";
    return std::to_string(reader.status()) + " " + std::to_string(reader.body_bytes()) + (reader.keep_alive() ? " kept" : " closed") +
           (step.used == octets.size() ? "" : " rest");
}
std::string with_fields(std::string_view fields, std::string_view body) { return outcome(head_with(fields).append(body)); }

TEST(ResponseReader, LengthsAreComparedAsNumbers) {
    EXPECT_EQ(with_fields("Content-Length:12\r\nContent-Length: 12\r\n", "123456789012"), "200 12 kept");
    EXPECT_EQ(with_fields("Content-Length: 5, 5\r\n", "hello"), "200 5 kept");
    EXPECT_EQ(with_fields("Content-Length: 05,5 \r\n", "hello"), "200 5 kept");
    EXPECT_EQ(with_fields("Content-Length: 10\r\nContent-Length: 20\r\n", "0123456789"), "error");
    EXPECT_EQ(with_fields("Content-Length: 5,\r\n", "hello"), "error");
    EXPECT_EQ(with_fields("Content-Length:\r\n", ""), "error");
    EXPECT_EQ(with_fields("Content-Length: -1\r\n", ""), "error");
    EXPECT_EQ(with_fields("Content-Length: 0x5\r\n", "hello"), "error");
    EXPECT_EQ(with_fields("Content-Length: 5\r\n 5\r\n", "hello"), "error") << "a continued line is a blank within the value";
}

TEST(ResponseReader, LengthsDoNotWrap) {
    EXPECT_EQ(with_fields("Content-Length: 18446744073709551615\r\n", "x"), "more");
    EXPECT_EQ(with_fields("Content-Length: 18446744073709551616\r\n", "x"), "error");
    EXPECT_EQ(with_fields("Content-Length: 18446744073709551621\r\n", "hello"), "error");
    EXPECT_EQ(with_fields("Content-Length: 0000000000000000000000000000005\r\n", "hello"), "200 5 kept");
}

TEST(ResponseReader, ChunkSizesDoNotWrap) {
    const std::string head = "Transfer-Encoding: chunked\r\n";
    EXPECT_EQ(with_fields(head, "0007fffffffffffffff\r\nab"), "more");
    EXPECT_EQ(with_fields(head, "8000000000000000\r\nab"), "error");
    EXPECT_EQ(with_fields(head, "ffffffffffffffff\r\nab"), "error");
    EXPECT_EQ(with_fields(head, "10000000000000000\r\nab"), "error");
    EXPECT_EQ(with_fields(head, "100000005\r\nhello\r\n0\r\n\r\n"), "more") << "not five octets";
}

TEST(ResponseReader, ChunkLinesAreStrict) {
    const std::string head = "Transfer-Encoding: chunked\r\n";
    EXPECT_EQ(with_fields(head, "3;foo=bar\r\nabc\r\n0\r\n\r\n"), "200 3 kept");
    EXPECT_EQ(with_fields(head, "A\r\n0123456789\r\n000\r\n\r\n"), "200 10 kept");
    for (const std::string_view line :
         {"1X\r\na", " 1\r\na", "1 \r\na", "1\ra", "1\n", "1\r\r\na", "\r\na", "1;a\x01\r\na", "1;a\n", "-1\r\na"}) {
        EXPECT_EQ(with_fields(head, line), "error") << line;
    }
    EXPECT_EQ(with_fields(head, "1\r\nab\r\n0\r\n\r\n"), "error");
    EXPECT_EQ(with_fields(head, "1\r\na\n0\r\n\r\n"), "error");
}

TEST(ResponseReader, TrailersAreReadAndFrameNothing) {
    const std::string head = "Transfer-Encoding: chunked\r\n";
    EXPECT_EQ(with_fields(head, "1\r\na\r\n0\r\nX-Foo: bar\r\nContent-Length: 99\r\nConnection: close\r\n\r\n"), "200 1 kept");
    EXPECT_EQ(with_fields(head, "1\r\na\r\n0\r\nX-Foo: bar\r\n more\r\n\r\n"), "200 1 kept");
    EXPECT_EQ(with_fields(head, "1\r\na\r\n0\r\n X: y\r\n\r\n"), "error");
    EXPECT_EQ(with_fields(head, "1\r\na\r\n0\r\nX\r\n\r\n"), "error");
    EXPECT_EQ(with_fields(head, "1\r\na\r\n0\r\n"), "more");
}

TEST(ResponseReader, CodingsDecideByTheLastOne) {
    const std::string chunks = "2\r\nok\r\n0\r\n\r\n";
    EXPECT_EQ(with_fields("Transfer-Encoding: Chunked\r\n", chunks), "200 2 kept");
    EXPECT_EQ(with_fields("Transfer-Encoding: gzip , chunked\r\n", chunks), "200 2 kept");
    EXPECT_EQ(with_fields("Transfer-Encoding: gzip,\r\n\tchunked\r\n", chunks), "200 2 kept");
    EXPECT_EQ(with_fields("Transfer-Encoding: chunked,\r\n", chunks), "200 2 kept");
    EXPECT_EQ(with_fields("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", chunks), "200 2 closed");
    EXPECT_EQ(with_fields("Transfer-Encoding: chunked, chunked\r\n", chunks), "200 2 closed");
    for (const std::string_view coding : {"chunked, gzip", "gzip", "xchunked", "chunked-v2", "chunked;q=1", "chunk ed", "chu"}) {
        EXPECT_EQ(with_fields(std::string("Transfer-Encoding: ").append(coding).append("\r\nContent-Length: 2\r\n"), chunks), "more")
            << coding;
    }
}

TEST(ResponseReader, AnswersWithoutABodyEndWithTheirHead) {
    const std::string sized = "HTTP/1.1 200 OK\r\nContent-Length: 219\r\n\r\n";
    EXPECT_EQ(outcome(sized, RequestKind::head), "200 0 kept");
    EXPECT_EQ(outcome(sized, RequestKind::connect), "200 0 closed");
    EXPECT_EQ(outcome("HTTP/1.1 407 No\r\nContent-Length: 2\r\n\r\nno", RequestKind::connect), "407 2 kept");
    EXPECT_EQ(outcome("HTTP/1.1 204 No Content\r\n\r\n"), "204 0 kept");
    EXPECT_EQ(outcome("HTTP/1.1 304 Not Modified\r\nContent-Length: 50\r\n\r\n"), "304 0 kept");
    EXPECT_EQ(outcome("HTTP/1.1 204 No Content\r\nContent-Length: 4\r\n\r\noops"), "204 0 closed rest") << "a body may follow";
}

TEST(ResponseReader, ConnectionOptionsAreWholeWords) {
    const std::string length = "Content-Length: 0\r\n";
    EXPECT_EQ(with_fields(length + "Connection: CLOSE\r\n", ""), "200 0 closed");
    EXPECT_EQ(with_fields(length + "Connection: TE, close\r\n", ""), "200 0 closed");
    EXPECT_EQ(with_fields(length + "Connection: TE\r\nConnection: close\r\n", ""), "200 0 closed");
    EXPECT_EQ(with_fields(length + "Connection:\r\n close\r\n", ""), "200 0 closed");
    EXPECT_EQ(with_fields(length + "Connection: keep-alive, close\r\n", ""), "200 0 closed");
    for (const std::string_view option : {"closed", "xclose", "clo", "clo se", "keep-alive", "", "upgrade"}) {
        EXPECT_EQ(with_fields(length + "Connection: " + std::string(option) + "\r\n", ""), "200 0 kept") << option;
    }
}

TEST(ResponseReader, OldVersionNeedsKeepAliveAndALength) {
    EXPECT_EQ(outcome("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n"), "200 0 closed");
    EXPECT_EQ(outcome("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: Keep-Alive\r\n\r\n"), "200 0 kept");
    EXPECT_EQ(outcome("HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\n\r\n"), "more") << "without a length it has no end but the stream's";
}

TEST(ResponseReader, StatusLinesAreStrict) {
    for (const std::string_view line : {"HTTP/1.1 200", "HTTP/1.1 200 ", "HTTP/1.1 200 OK \xe4", "HTTP/1.2 200 OK", "HTTP/1.1 200 a\tb"}) {
        EXPECT_EQ(outcome(std::string(line) + "\r\nContent-Length: 0\r\n\r\n").substr(0, 5), "200 0") << line;
    }
    for (const std::string_view line :
         {"HTTP/1.1 2000", "HTTP/1.1 20", "HTTP/1.1 20x OK", "HTTP/1.1 099 OK", "HTTP/2.0 200 OK", "HTTP/1.1  200 OK", "HTTP/1.1200 OK",
          "http/1.1 200 OK", "HTTP/1.10 200 OK", "HTTP/1.1\t200 OK", "HTTP/1.1 200 O\rK", "HTTP/1.1 200 O\x01", "<html>", "",
          " HTTP/1.1 200 OK", "HTTP/1.1 200\tOK", "ICY 200 OK"}) {
        EXPECT_EQ(outcome(std::string(line) + "\r\nContent-Length: 0\r\n\r\n"), "error") << line;
    }
    EXPECT_EQ(outcome("HTTP/1.1 999 Odd\r\nContent-Length: 0\r\n\r\n"), "999 0 kept");
    EXPECT_EQ(outcome("HTTP/1.1 101 Switching Protocols\r\n\r\n"), "error");
}

TEST(ResponseReader, FieldLinesAreStrict) {
    for (const std::string_view line : {"A\r\n", ": b\r\n", "A : b\r\n", "A\t: b\r\n", " A: b\r\n", "A: b\rC: d\r\n", "A: b\r\r\n",
                                        "A: \x01\r\n", "\"A: b\"\r\n", "A\xe4: b\r\n", "A(b): c\r\n", "\rA: b\r\n"}) {
        EXPECT_EQ(with_fields(std::string(line) + "Content-Length: 0\r\n", ""), "error") << line;
    }
    const std::string nul = std::string("A: b") + '\0' + "\r\n";
    EXPECT_EQ(with_fields(nul + "Content-Length: 0\r\n", ""), "error");
    for (const std::string_view line :
         {"A:\r\n", "A:b\r\n", "A:\tb \r\n", "A: \xe4\x80\r\n", "A: \x7f\r\n", "A.b!#$%&'*+^`|~: c\r\n", "A: b\n", "A: b\r\n c\r\n \r\n"}) {
        EXPECT_EQ(with_fields(std::string(line) + "Content-Length: 0\r\n", ""), "200 0 kept") << line;
    }
}

TEST(ResponseReader, HeadsHaveALimitWhereverTheyAreCut) {
    const auto head_of = [](size_t size) {
        std::string head = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nX: ";
        head.append(size - head.size() - 4, 'x');
        return head.append("\r\n\r\n");
    };
    const std::string largest = head_of(ResponseReader::kHeadBytesMax), larger = head_of(ResponseReader::kHeadBytesMax + 1);
    EXPECT_EQ(outcome(largest), "200 0 kept");
    EXPECT_EQ(outcome(larger), "error");
    ResponseReader cut;
    EXPECT_EQ(feed(cut, std::string_view(largest).substr(0, 100)).event, Event::need_more);
    EXPECT_EQ(feed(cut, std::string_view(largest).substr(100)).event, Event::response);
    EXPECT_EQ(feed(cut, std::string_view(larger).substr(0, 100)).event, Event::need_more);
    EXPECT_EQ(feed(cut, std::string_view(larger).substr(100)).event, Event::error);
    EXPECT_EQ(with_fields("Transfer-Encoding: chunked\r\n", "1;" + std::string(ResponseReader::kHeadBytesMax, 'x')), "error");
}

TEST(ResponseReader, NoCutChangesWhatRandomAnswersComeTo) {
    const uint64_t seed = std::random_device()();
    SCOPED_TRACE("seed " + std::to_string(seed));
    test::OctetSource source(seed);
    test::GuardPage page(1 << 16);
    size_t answers = 0;
    for (int round = 0; round < 4000; ++round) {
        std::string octets;
        for (size_t i = 1 + source.below(3); i > 0; --i)
            octets += source.head() + (source.below(3) == 0 ? "5\r\nhello\r\n0\r\n\r\n" : "hello");
        const std::deque<RequestKind> requests(4, RequestKind::normal);
        test::Owner whole(requests, page), cut(requests, page), single(requests, page);
        whole.bytes(octets);
        const size_t at = source.below(octets.size());
        cut.bytes(std::string_view(octets).substr(0, at));
        cut.bytes(std::string_view(octets).substr(at));
        for (const char& c : octets) single.bytes(std::string_view(&c, 1));
        for (test::Owner* owner : {&whole, &cut, &single}) owner->end(test::Ending::fin);
        answers += whole.outcome.answers.size();
        ASSERT_TRUE(whole.outcome == cut.outcome) << "round " << round << ", cut at " << at << ":\n" << octets;
        ASSERT_TRUE(whole.outcome == single.outcome) << "round " << round << ", octet by octet:\n" << octets;
    }
    EXPECT_GT(answers, 500u) << "the source makes too few good answers to show anything";
}

}  // namespace
}  // namespace rl::http
