// What the system tells a process about itself, and text at its edges.
#include "core/base/process.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "core/base/path.hpp"
#include "tests/support/set_environment.hpp"

namespace rl {
namespace {

TEST(Process, KnowsItsOwnFile) {
    const std::string path = program_path();
    ASSERT_FALSE(path.empty());
    EXPECT_TRUE(path_of(path).is_absolute()) << path;
    EXPECT_TRUE(std::filesystem::is_regular_file(path_of(path))) << path;
    EXPECT_EQ(text_of(path_of(path).stem()), "base_test");
}

TEST(Process, ReadsTheEnvironment) {
    testing::set_environment("RINGLOAD_TEST_VARIABLE", "a b");
    EXPECT_EQ(environment("RINGLOAD_TEST_VARIABLE"), "a b");
    testing::set_environment("RINGLOAD_TEST_VARIABLE", "");
    EXPECT_FALSE(environment("RINGLOAD_TEST_VARIABLE"));
}

TEST(Process, HasItsWords) {
    char name[] = "base_test";
    char* words[] = {name, nullptr};
    const std::vector<std::string> found = command_words(1, words);
    ASSERT_FALSE(found.empty());
    EXPECT_NE(found[0].find("base_test"), std::string::npos) << found[0];
}

TEST(Path, TextComesBackAsItWas) {
    for (const std::string text : {"", "plain", "a b/c", "caf\u00e9/\u4e2d", "\U0001f600.json"}) EXPECT_EQ(text_of(path_of(text)), text);
}

TEST(Path, APlaceIsNoBareName) {
    EXPECT_TRUE(is_place("./x"));
    EXPECT_TRUE(is_place("/x"));
    EXPECT_FALSE(is_place("x.so"));
    EXPECT_FALSE(is_place(""));
}

}  // namespace
}  // namespace rl
