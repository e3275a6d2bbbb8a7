// Which file stands for a name: order of places, names with a slash, what is never looked at.
#include "core/module/search_path.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "core/base/dynlib.hpp"
#include "core/base/path.hpp"
#include "core/base/process.hpp"
#include "tests/support/set_environment.hpp"
#include "tests/support/temporary_folder.hpp"

namespace rl::module {
namespace {

const std::string kEnd(kModuleSuffix);

std::string with_slashes(std::string path) {
    std::replace(path.begin(), path.end(), '\\', '/');
    return path;
}

class SearchPathTest : public ::testing::Test {
  protected:
    void SetUp() override {
        for (const char* folder : {"a", "b"}) std::filesystem::create_directory(folder_.path() / folder);
    }
    void TearDown() override {
        rl::testing::set_environment("RINGLOAD_PLUGIN_PATH", "");
        rl::testing::set_environment("RINGLOAD_BACKEND_PATH", "");
    }
    void touch(const std::string& file) { folder_.add(file, "x"); }
    std::string in(const std::string& name) const { return (folder_.path() / name).string(); }
    std::vector<Place> places() const { return {{in("a"), "first"}, {in("missing"), "nowhere"}, {in("b"), "last"}}; }

    rl::testing::TemporaryFolder folder_;
};

TEST_F(SearchPathTest, TheFirstFileWins) {
    touch("b/librl_source_x" + kEnd);
    EXPECT_EQ(find_file(places(), "source", "x")->path, in("b/librl_source_x" + kEnd));
    EXPECT_EQ(find_file(places(), "source", "x")->origin, "last");
    touch("a/librl_source_x" + kEnd);
    EXPECT_EQ(find_file(places(), "source", "x")->path, in("a/librl_source_x" + kEnd));
    EXPECT_FALSE(find_file(places(), "pacer", "x"));
    EXPECT_FALSE(find_file(places(), "source", "librl_source_x" + kEnd));
}

TEST_F(SearchPathTest, ANameWithASlashIsAPath) {
    EXPECT_EQ(find_file(places(), "source", "./x.so")->path, "./x.so");
    EXPECT_EQ(find_file({}, "source", "/no/such.so")->origin, "given as a path");
#if defined(_WIN32)
    EXPECT_EQ(find_file({}, "source", "folder\\x.dll")->origin, "given as a path");
    EXPECT_EQ(find_file({}, "source", "C:x.dll")->origin, "given as a path");
#else
    EXPECT_FALSE(find_file({}, "source", "folder\\x.dll")) << "a backslash is a letter like others";
#endif
}

TEST_F(SearchPathTest, PlacesMayHoldBlanksAndAnyLetter) {
    const std::string name = text_of(path_of("caf\u00e9 \u4e2d \u00df"));
    folder_.add(path_of(name) / ("librl_source_x" + kEnd), "x");
    const std::vector<Place> there = {{text_of(folder_.path() / path_of(name)), "odd"}};
    ASSERT_TRUE(find_file(there, "source", "x"));
    EXPECT_NE(find_file(there, "source", "x")->path.find(name), std::string::npos);
    EXPECT_EQ(find_all(there, "source").size(), 1u);
}

TEST_F(SearchPathTest, OrderOfPlaces) {
    const std::string part(1, kListSeparator);
    rl::testing::set_environment("RINGLOAD_PLUGIN_PATH", "/env/one" + part + part + "/env/two" + part);
    rl::testing::set_environment("RINGLOAD_BACKEND_PATH", "/env/backends");
    const std::vector<std::string> given = {"/given/one", "", "/given/two"};
    const SearchPath path = make_search_path(given);
    ASSERT_GE(path.plugins.size(), 6u);
    EXPECT_EQ(path.plugins[0].directory, "/given/one");
    EXPECT_EQ(path.plugins[0].origin, "--plugin-path");
    EXPECT_EQ(path.plugins[1].directory, "/given/two");
    EXPECT_EQ(path.plugins[2].directory, "/env/one");
    EXPECT_EQ(path.plugins[2].origin, "RINGLOAD_PLUGIN_PATH");
    EXPECT_EQ(path.plugins[3].directory, "/env/two");
    EXPECT_EQ(path.plugins[4].origin, "beside the program");
    EXPECT_TRUE(with_slashes(path.plugins[4].directory).ends_with("/ringload/plugins")) << path.plugins[4].directory;
    EXPECT_EQ(path.plugins[5].origin, "installed");
    EXPECT_EQ(path.backends[0].directory, "/env/backends");
    EXPECT_TRUE(with_slashes(path.backends[1].directory).ends_with("/ringload/backends")) << path.backends[1].directory;
    for (const Place& place : path.plugins) {
        EXPECT_TRUE(std::filesystem::path(place.directory).has_root_directory()) << "never the current directory";
    }
}

TEST_F(SearchPathTest, FindAllMarksWhatIsShadowed) {
    touch("a/librl_source_x" + kEnd);
    touch("b/librl_source_x" + kEnd);
    touch("b/librl_source_m" + kEnd);
    touch("b/librl_pacer_x" + kEnd);
    touch("b/librl_source_" + kEnd);
    touch("b/librl_source_y.so.1");
    touch("b/source_z.so");
    const auto found = find_all(places(), "source");
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].name, "x");
    EXPECT_FALSE(found[0].shadowed);
    EXPECT_EQ(found[1].name, "m");
    EXPECT_EQ(found[2].name, "x");
    EXPECT_TRUE(found[2].shadowed);
    EXPECT_EQ(found[2].file.path, in("b/librl_source_x" + kEnd));
}

}  // namespace
}  // namespace rl::module
