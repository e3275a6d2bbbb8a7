// Choice among backends, with modules that live in this test: by name, by priority and probe, and refusals of other builds.
#include "core/module/backend_loader.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

#include "core/module/build_id.hpp"
#include "core/module/registry.hpp"
#include "tests/support/temporary_folder.hpp"

namespace rl::module {
namespace {

int works(const rl_value*, rl_backend_caps* out, rl_error*) {
    std::snprintf(out->switches, sizeof out->switches, "all of them");
    return 0;
}
int fails(const rl_value*, rl_backend_caps*, rl_error* error) {
    std::snprintf(error->message, sizeof error->message, "the kernel is too old; use another");
    return -1;
}
int needs_large_depth(const rl_value* values, rl_backend_caps*, rl_error* error) {
    if (values[0].v.u >= 8) return 0;
    std::snprintf(error->message, sizeof error->message, "depth %u is too small", static_cast<unsigned>(values[0].v.u));
    return -1;
}
int works_slowly(const rl_value*, rl_backend_caps* out, rl_error*) {
    std::snprintf(out->second_choice, sizeof out->second_choice, "it has no wheels");
    return 0;
}
int no_worker(WorkerCtx*, rl_error*) { return 0; }

constexpr rl_option kDepth[] = {{"depth", "N", "4", "how deep", nullptr, 1, 64, RL_OPTION_U64, 0}};

constexpr rl_backend_module make(const char* name, int32_t priority, decltype(&works) probe) {
    return {RL_BACKEND_MAGIC, sizeof(rl_backend_module), RL_BUILD_ID, name, "of this test", priority, 0, nullptr, probe, no_worker};
}
constexpr rl_backend_module kFast = make("fast", 20, fails), kPlain = make("plain", 10, works), kHidden = make("hidden", -1, works);
constexpr rl_backend_module kSlow = make("slow", 15, works_slowly);
constexpr rl_backend_module kDeep = [] {
    rl_backend_module module = make("deep", 30, needs_large_depth);
    module.options = kDepth;
    module.option_count = 1;
    return module;
}();
const rl_backend_module* fast() { return &kFast; }
const rl_backend_module* plain() { return &kPlain; }
const rl_backend_module* hidden() { return &kHidden; }
const rl_backend_module* slow() { return &kSlow; }
const rl_backend_module* deep() { return &kDeep; }

SearchPath linked(std::span<const rl_backend_entry_fn> entries) {
    SearchPath path;
    path.linked_backends = entries;
    return path;
}
constexpr std::array<rl_backend_entry_fn, 3> kUsual = {plain, hidden, fast};

TEST(SelectBackend, AutoTakesTheBestThatWorksAndSaysWhyNotABetterOne) {
    auto selected = select_backend("auto", {}, linked(kUsual));
    ASSERT_TRUE(selected) << selected.error().text;
    EXPECT_STREQ(selected->module().name, "plain");
    EXPECT_STREQ(selected->caps.switches, "all of them");
    EXPECT_EQ(selected->notes, (std::vector<std::string>{"backend fast was passed over: the kernel is too old; use another"}));
}

TEST(SelectBackend, ASecondChoiceIsTakenWhereNothingElseWorksOrByName) {
    constexpr std::array<rl_backend_entry_fn, 2> both = {slow, plain};
    auto selected = select_backend("auto", {}, linked(both));
    ASSERT_TRUE(selected) << selected.error().text;
    EXPECT_STREQ(selected->module().name, "plain");
    EXPECT_EQ(selected->notes, (std::vector<std::string>{"backend slow was passed over: it has no wheels"}));
    constexpr std::array<rl_backend_entry_fn, 2> alone = {slow, fast};
    selected = select_backend("auto", {}, linked(alone));
    ASSERT_TRUE(selected) << selected.error().text;
    EXPECT_STREQ(selected->module().name, "slow");
    selected = select_backend("slow", {}, linked(both));
    ASSERT_TRUE(selected) << selected.error().text;
    EXPECT_STREQ(selected->module().name, "slow");
}

TEST(SelectBackend, NegativePriorityOnlyByName) {
    constexpr std::array<rl_backend_entry_fn, 1> only = {hidden};
    auto none = select_backend("auto", {}, linked(only));
    EXPECT_FALSE(none);
    auto selected = select_backend("hidden", {}, linked(kUsual));
    ASSERT_TRUE(selected) << selected.error().text;
    EXPECT_TRUE(selected->notes.empty());
}

TEST(SelectBackend, ANamedOneThatDoesNotWorkIsRefused) {
    auto refused = select_backend("fast", {}, linked(kUsual));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Error::unavailable);
    EXPECT_EQ(refused.error().text,
              "backend fast does not work here: the kernel is too old; use another; use --backend auto, or see `ringload list`");
}

TEST(SelectBackend, UnknownNamesAreAnsweredWithTheKnown) {
    auto refused = select_backend("kqueue", {}, linked(kUsual));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().text, "there is no backend \"kqueue\" in this ringload; it has plain, hidden, fast");
    EXPECT_EQ(refused.error().code, Error::usage);
}

TEST(SelectBackend, NothingWorks) {
    constexpr std::array<rl_backend_entry_fn, 1> only = {fast};
    auto refused = select_backend("auto", {}, linked(only));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().text, "no backend works here: backend fast was passed over: the kernel is too old; use another");
}

TEST(SelectBackend, TheProbeSeesTheOptions) {
    constexpr std::array<rl_backend_entry_fn, 2> both = {plain, deep};
    auto by_default = select_backend("auto", {}, linked(both));
    ASSERT_TRUE(by_default);
    EXPECT_STREQ(by_default->module().name, "plain");
    EXPECT_EQ(by_default->notes[0], "backend deep was passed over: depth 4 is too small");
    const std::vector<engine::OptionValue> given = {{"deep", "depth", "16"}};
    auto selected = select_backend("auto", given, linked(both));
    ASSERT_TRUE(selected);
    EXPECT_STREQ(selected->module().name, "deep");
    EXPECT_EQ(selected->options.values()[0].v.u, 16u);
    const std::vector<engine::OptionValue> wrong = {{"deep", "depth", "65"}};
    auto refused = select_backend("auto", wrong, linked(both));
    ASSERT_FALSE(refused) << "a wrong option is an error, not a reason to pass a backend over";
    EXPECT_EQ(refused.error().text, "--deep.depth: \"65\" is too large; the most is 64");
}

TEST(CheckBackend, OtherBuildsAreRefused) {
    rl_backend_module module = kPlain;
    EXPECT_TRUE(check_backend(&module, "plain", "F", "here"));
    module.build_id = "0.0.9 gcc-1 release abc";
    EXPECT_EQ(check_backend(&module, "plain", "F", "here").error().text,
              "cannot load backend F: it is of build \"0.0.9 gcc-1 release abc\" and this ringload of \"" RL_BUILD_ID
              "\"; rebuild both together, or reinstall");
    module = kPlain;
    module.size += 8;
    EXPECT_EQ(check_backend(&module, "plain", "F", "here").error().text,
              "cannot load backend F: it is of build \"of another layout\" and this ringload of \"" RL_BUILD_ID
              "\"; rebuild both together, or reinstall");
    module = kPlain;
    module.magic = 7;
    EXPECT_EQ(check_backend(&module, "plain", "F", "here").error().text,
              "cannot load backend F: it is no backend module of ringload; remove it, or reinstall");
    module = kPlain;
    EXPECT_EQ(check_backend(&module, "other", "F", "here").error().text,
              "cannot load backend F: its name promises backend \"other\" and it holds \"plain\"; rename the file");
    module.run_worker = nullptr;
    EXPECT_FALSE(check_backend(&module, "plain", "F", "here"));
}

SearchPath built() {
    SearchPath path;
    path.backends.push_back({RL_TEST_MODULE_DIR, "build tree"});
    return path;
}

TEST(BackendFiles, AModuleOfAnotherBuildIsRefusedByNameAndPassedOverUnderAuto) {
    const std::string why = "cannot load backend " RL_TEST_MODULE_DIR "/librl_backend_stale" RL_TEST_END
                            ": it is of build \"another\" and this ringload of \"" RL_BUILD_ID "\"; rebuild both together, or reinstall";
    auto refused = select_backend("stale", {}, built());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().text, why);
    auto none = select_backend("auto", {}, built());
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().text, "no backend works here: backend stale was passed over: " + why);
}

TEST(BackendFiles, WhatIsNotThereIsLookedForInVain) {
    auto refused = select_backend("kqueue", {}, built());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().text, "there is no backend \"kqueue\": no librl_backend_kqueue" RL_TEST_END " in " RL_TEST_MODULE_DIR
                                    "; this installation has stale, or name the directory of another in RINGLOAD_BACKEND_PATH");
}

TEST(Registry, ListsBackendsByPriorityWithWhatIsWrong) {
    const auto all = list_all(linked(kUsual));
    ASSERT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].name, "fast");
    EXPECT_FALSE(all[0].usable);
    EXPECT_EQ(all[0].problem, "the kernel is too old; use another");
    EXPECT_EQ(all[1].name, "plain");
    EXPECT_TRUE(all[1].usable);
    EXPECT_EQ(all[1].switches, "all of them");
    EXPECT_EQ(all[2].name, "hidden");
}

TEST(Registry, ListsPluginsWithShadowsAndFaults) {
    const rl::testing::TemporaryFolder folder;
    folder.add("librl_source_text" RL_TEST_END, "no object");
    SearchPath path;
    path.plugins = {{RL_TEST_PLUGIN_DIR, "first"}, {folder.text(), "faulty"}, {RL_TEST_PLUGIN_DIR, "again"}};
    bool good = false, shadowed = false, bad = false;
    for (const Listing& one : list_all(path)) {
        if (one.kind != "source") continue;
        good = good || (one.name == "static_url" && one.usable && !one.shadowed && one.origin == "first" && one.plugin != nullptr);
        shadowed = shadowed || (one.name == "static_url" && one.usable && one.shadowed && one.origin == "again");
        bad = bad || (one.name == "text" && !one.usable && one.problem.find("/librl_source_text" RL_TEST_END ": ") != std::string::npos);
    }
    EXPECT_TRUE(good);
    EXPECT_TRUE(shadowed);
    EXPECT_TRUE(bad);
}

}  // namespace
}  // namespace rl::module
