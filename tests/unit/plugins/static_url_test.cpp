// static_url through its ABI: the bytes, their place in memory, the flags, and that nothing leaks.
#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

#include "tests/unit/plugins/opened_plugin.hpp"

namespace rl::testing {
namespace {

engine::RunSpec run_of(std::string method, std::string target = "/a?b=1") {
    engine::RunSpec run;
    run.request.method = std::move(method);
    run.request.target = std::move(target);
    run.request.authority = "example.org:8080";
    return run;
}

struct Batch {
    std::array<rl_request, 64> requests{};
    int32_t n = 0;
    std::string_view head(size_t i) const { return {reinterpret_cast<const char*>(requests[i].head), requests[i].head_len}; }
};

class StaticUrl : public ::testing::Test {
  protected:
    // The first batch of worker 0; the plug-in stays open until the next call or the end of the test.
    Batch first_batch(const engine::RunSpec& run, uint32_t max = 64) {
        close();
        plugin_.emplace(module::Kind::source, "static_url", run, host_);
        Batch batch;
        if (!plugin_->is_open()) return batch;
        self_ = plugin_->open_worker(0, 1);
        if (self_ == nullptr) return batch;
        batch.n = plugin_->ops().fill(self_, batch.requests.data(), max);
        return batch;
    }
    void close() {
        if (self_ != nullptr) plugin_->ops().worker_close(self_);
        self_ = nullptr;
        plugin_.reset();
    }
    void TearDown() override {
        close();
        EXPECT_EQ(host_.live, 0) << "memory was not given back";
    }

    FakeHost host_;
    std::optional<OpenedPlugin<rl_source_ops>> plugin_;
    void* self_ = nullptr;
};

TEST_F(StaticUrl, RendersAPlainGet) {
    const Batch batch = first_batch(run_of("GET"));
    ASSERT_EQ(batch.n, 64);
    EXPECT_EQ(batch.head(0),
              "GET /a?b=1 HTTP/1.1\r\nHost: example.org:8080\r\nUser-Agent: ringload/" RL_TEST_VERSION "\r\nAccept: */*\r\n\r\n");
    EXPECT_EQ(batch.requests[0].body_len, 0u);
    EXPECT_EQ(batch.requests[0].due_ns, RL_DUE_NONE);
    EXPECT_EQ(batch.requests[0].flags, RL_REQUEST_IDEMPOTENT);
    EXPECT_EQ(plugin_->ops().flags, uint32_t{RL_SOURCE_STATIC});
}

TEST_F(StaticUrl, KeepsHeadersInOrderAndLetsThemReplaceDefaults) {
    engine::RunSpec run = run_of("GET", "/");
    run.request.headers = {{"X-A", "1, 2"}, {"user-agent", "me"}, {"X-A", "3"}, {"ACCEPT", "text/html"}};
    const Batch batch = first_batch(run);
    EXPECT_EQ(batch.head(0),
              "GET / HTTP/1.1\r\nHost: example.org:8080\r\nX-A: 1, 2\r\nuser-agent: me\r\nX-A: 3\r\nACCEPT: text/html\r\n\r\n");
}

TEST_F(StaticUrl, CopiesLieHeadAfterHeadWithinTheArena) {
    const Batch batch = first_batch(run_of("GET"));
    for (int32_t i = 1; i < batch.n; ++i) {
        const rl_request& before = batch.requests[static_cast<size_t>(i) - 1];
        EXPECT_EQ(batch.requests[static_cast<size_t>(i)].head, before.head + before.head_len);
        EXPECT_EQ(batch.head(static_cast<size_t>(i)), batch.head(0));
    }
    EXPECT_LE(host_.largest, 64u * 1024);
}

TEST_F(StaticUrl, AsManyCopiesAsTheArenaHolds) {
    engine::RunSpec run = run_of("GET");
    run.request.headers = {{"X-Long", std::string(5000, 'x')}};
    const Batch batch = first_batch(run);
    EXPECT_EQ(batch.n, static_cast<int32_t>(64 * 1024 / batch.requests[0].head_len));
    EXPECT_LE(host_.largest, 64u * 1024);
}

TEST_F(StaticUrl, OneCopyOfAHeadThatIsLargerThanTheArena) {
    engine::RunSpec run = run_of("GET");
    run.request.headers = {{"X-Long", std::string(70'000, 'x')}};
    EXPECT_EQ(first_batch(run).n, 1);
}

TEST_F(StaticUrl, GivesNoMoreThanItIsAskedFor) { EXPECT_EQ(first_batch(run_of("GET"), 3).n, 3); }

TEST_F(StaticUrl, ASmallBodyIsPartOfTheHead) {
    engine::RunSpec run = run_of("POST", "/");
    run.request.body = std::string(4096, 'b');
    run.request.has_body = true;
    const Batch batch = first_batch(run);
    ASSERT_GT(batch.n, 1);
    EXPECT_TRUE(batch.head(0).ends_with("\r\nContent-Length: 4096\r\n\r\n" + run.request.body));
    EXPECT_EQ(batch.requests[0].body_len, 0u);
    EXPECT_EQ(batch.requests[1].head, batch.requests[0].head + batch.requests[0].head_len);
    EXPECT_EQ(batch.requests[0].flags, 0u) << "POST is not idempotent";
}

TEST_F(StaticUrl, ALargeBodyStandsAloneAndOnce) {
    engine::RunSpec run = run_of("PUT", "/");
    run.request.body = std::string(4097, 'b');
    run.request.has_body = true;
    const Batch batch = first_batch(run);
    ASSERT_EQ(batch.n, 1);
    EXPECT_TRUE(batch.head(0).ends_with("\r\nContent-Length: 4097\r\n\r\n"));
    EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(batch.requests[0].body), batch.requests[0].body_len), run.request.body);
    EXPECT_NE(static_cast<const void*>(batch.requests[0].body), static_cast<const void*>(run.request.body.data()))
        << "the template's bytes are the host's only until open() returns";
}

TEST_F(StaticUrl, SaysThatThereIsNoContentWhereTheMethodGivesItAMeaning) {
    for (const char* method : {"POST", "PUT", "PATCH"}) {
        EXPECT_TRUE(first_batch(run_of(method)).head(0).ends_with("\r\nContent-Length: 0\r\n\r\n")) << method;
    }
    for (const char* method : {"GET", "DELETE", "OPTIONS"}) {
        EXPECT_EQ(first_batch(run_of(method)).head(0).find("Content-Length"), std::string_view::npos) << method;
    }
    engine::RunSpec run = run_of("GET");
    run.request.has_body = true;
    EXPECT_TRUE(first_batch(run).head(0).ends_with("\r\nContent-Length: 0\r\n\r\n")) << "an empty body was given";
}

TEST_F(StaticUrl, FlagsFollowMethodAndTemplate) {
    EXPECT_EQ(first_batch(run_of("HEAD")).requests[0].flags, RL_REQUEST_HEAD | RL_REQUEST_IDEMPOTENT);
    EXPECT_EQ(first_batch(run_of("CONNECT", "a:1")).requests[0].flags, uint16_t{RL_REQUEST_CONNECT});
    EXPECT_EQ(first_batch(run_of("PATCH")).requests[0].flags, 0);
    EXPECT_EQ(first_batch(run_of("get")).requests[0].flags, 0) << "methods are case-sensitive";
    engine::RunSpec run = run_of("GET");
    run.request.close_after = true;
    const Batch batch = first_batch(run);
    EXPECT_EQ(batch.requests[0].flags, RL_REQUEST_CLOSE | RL_REQUEST_IDEMPOTENT);
    EXPECT_TRUE(batch.head(0).ends_with("\r\nConnection: close\r\n\r\n"));
}

TEST_F(StaticUrl, RefusesWhatWouldBreakTheFraming) {
    first_batch(run_of("GE T"));
    EXPECT_EQ(plugin_->failure, "source static_url: cannot render the request: the method \"GE T\" is no HTTP token");
    first_batch(run_of("GET", "/a b"));
    EXPECT_EQ(plugin_->failure,
              "source static_url: cannot render the request: the target \"/a b\" is empty or holds a blank or control character");
    engine::RunSpec run = run_of("GET");
    run.request.headers = {{"X", "a\r\nY: b"}};
    first_batch(run);
    EXPECT_NE(plugin_->failure.find("the value of header"), std::string::npos) << plugin_->failure;
    run.request.headers = {{"X Y", "a"}};
    first_batch(run);
    EXPECT_EQ(plugin_->failure, "source static_url: cannot render the request: the header name \"X Y\" is no HTTP token");
}

TEST_F(StaticUrl, SaysSoWhenMemoryRunsOut) {
    host_.out_of_memory = true;
    first_batch(run_of("GET"));
    EXPECT_EQ(self_, nullptr);
    EXPECT_EQ(plugin_->failure, "out of memory");
}

}  // namespace
}  // namespace rl::testing
