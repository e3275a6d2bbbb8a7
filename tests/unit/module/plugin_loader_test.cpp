// Loading by name and by path, opening and closing. The faults of objects are pinned in tests/abi/bad_test.py.
#include "core/module/plugin_loader.hpp"

#include <gtest/gtest.h>

#include "core/module/plugin_instance.hpp"
#include "tests/support/fake_host.hpp"

namespace rl::module {
namespace {

SearchPath built() {
    SearchPath path;
    path.plugins.push_back({"/no/such/folder", "--plugin-path"});
    path.plugins.push_back({RL_TEST_PLUGIN_DIR, "build tree"});
    return path;
}

TEST(LoadPlugin, ByName) {
    auto loaded = load_plugin(Kind::pacer, "constant", built());
    ASSERT_TRUE(loaded) << loaded.error().text;
    EXPECT_STREQ(loaded->plugin->name, "constant");
    EXPECT_EQ(loaded->path, RL_TEST_PLUGIN_DIR "/librl_pacer_constant" RL_TEST_END);
    EXPECT_EQ(loaded->origin, "build tree");
    EXPECT_NE(loaded->handle, nullptr);
    EXPECT_NE(loaded->pacer().grant, nullptr);
}

TEST(LoadPlugin, ByPath) {
    auto loaded = load_plugin(Kind::source, RL_TEST_PLUGIN_DIR "/librl_source_static_url" RL_TEST_END, {});
    ASSERT_TRUE(loaded) << loaded.error().text;
    EXPECT_STREQ(loaded->plugin->name, "static_url");
    auto other = load_plugin(Kind::pacer, RL_TEST_PLUGIN_DIR "/librl_source_static_url" RL_TEST_END, {});
    ASSERT_FALSE(other);
    EXPECT_EQ(other.error().text, "cannot load plug-in " RL_TEST_PLUGIN_DIR "/librl_source_static_url" RL_TEST_END
                                  ": it holds no pacer, only source \"static_url\"");
}

TEST(LoadPlugin, WhatIsNotThere) {
    auto missing = load_plugin(Kind::source, "nothing", built());
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().code, Error::usage);
    EXPECT_EQ(missing.error().text,
              "there is no source \"nothing\": no librl_source_nothing" RL_TEST_END " in /no/such/folder, " RL_TEST_PLUGIN_DIR
              "; see `ringload list`, or name its directory with --plugin-path");
    auto no_file = load_plugin(Kind::source, "/no/such.so", built());
    ASSERT_FALSE(no_file);
    EXPECT_TRUE(no_file.error().text.starts_with("cannot load plug-in /no/such.so: ")) << no_file.error().text;
    EXPECT_GT(no_file.error().text.size(), std::string_view("cannot load plug-in /no/such.so: ").size()) << "the system's reason";
}

// A source that writes down what is done to it.
struct Log {
    static inline thread_local std::string text;
};
int logging_open(const rl_open* open, void** shared, rl_error* error) {
    Log::text += "open ";
    if (open->rate < 0) {
        error->code = 42;
        return -1;
    }
    *shared = &Log::text;
    return 0;
}
void logging_close(void* shared) { Log::text += shared == &Log::text ? "close " : "close with a foreign argument "; }

class PluginInstanceTest : public ::testing::Test {
  protected:
    PluginInstanceTest() {
        Log::text.clear();
        ops_.size = sizeof ops_;
        ops_.open = logging_open;
        ops_.close = logging_close;
        plugin_.kind = RL_KIND_SOURCE;
        plugin_.name = "demo";
        plugin_.ops = &ops_;
        loaded_.plugin = &plugin_;
        loaded_.path = "demo.so";
    }
    rl_source_ops ops_{};
    rl_plugin plugin_{};
    LoadedPlugin loaded_;
    rl_open open_{};
};

TEST_F(PluginInstanceTest, ClosesOnceHoweverOftenItMoves) {
    {
        auto first = SourceInstance::open(loaded_, open_);
        ASSERT_TRUE(first);
        SourceInstance second = std::move(*first);
        SourceInstance third = std::move(second);
        EXPECT_EQ(third.shared(), &Log::text);
        EXPECT_EQ(Log::text, "open ");
    }
    EXPECT_EQ(Log::text, "open close ");
}

TEST_F(PluginInstanceTest, AnOpenThatFailedIsNotClosed) {
    open_.rate = -1;
    auto failed = SourceInstance::open(loaded_, open_);
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().text, "source demo: it gives no reason but the code 42");
    EXPECT_EQ(Log::text, "open ");
}

TEST(OpenInfo, HandsOverTheRun) {
    engine::RunSpec run;
    run.request.method = "PUT";
    run.request.headers = {{"A", "1"}, {"B", "2"}};
    run.request.has_body = true;
    run.request.close_after = true;
    run.workers = 3;
    run.pipeline = 4;
    run.rate = 2.5;
    run.requests = 77;
    run.duration = 5 * kSecond;
    rl::testing::FakeHost host;
    const BoundOptions options;
    const OpenInfo info(run, host.get(), options);
    const rl_open& open = info.get();
    EXPECT_EQ(open.size, sizeof open);
    EXPECT_EQ(open.worker_count, 3u);
    EXPECT_EQ(open.pipeline_depth, 4u);
    EXPECT_EQ(open.rate, 2.5);
    EXPECT_EQ(open.requests_max, 77u);
    EXPECT_EQ(open.duration_ns, 5'000'000'000u);
    EXPECT_EQ(open.host, host.get());
    ASSERT_EQ(open.request->header_count, 2u);
    EXPECT_EQ(std::string(reinterpret_cast<const char*>(open.request->headers[1].value.p), 1), "2");
    EXPECT_NE(open.request->body.p, nullptr) << "an empty body was given";
    EXPECT_EQ(open.request->body.n, 0u);
    EXPECT_EQ(open.request->close_after, 1u);
    run.request.has_body = false;
    const OpenInfo without(run, host.get(), options);
    EXPECT_EQ(without.get().request->body.p, nullptr);
}

}  // namespace
}  // namespace rl::module
