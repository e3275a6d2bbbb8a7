// Which file stands for a name: order of places, names with a slash, what is never looked at.
#include "core/module/search_path.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace rl::module {
namespace {

class SearchPathTest : public ::testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "rl-search-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        root_ = pattern;
        for (const char* folder : {"a", "b"}) std::filesystem::create_directory(root_ / folder);
    }
    void TearDown() override {
        std::filesystem::remove_all(root_);
        ::unsetenv("RINGLOAD_PLUGIN_PATH");
        ::unsetenv("RINGLOAD_BACKEND_PATH");
    }
    void touch(const char* file) { std::ofstream(root_ / file) << "x"; }
    std::string in(const char* name) const { return (root_ / name).string(); }
    std::vector<Place> places() const { return {{in("a"), "first"}, {in("missing"), "nowhere"}, {in("b"), "last"}}; }

    std::filesystem::path root_;
};

TEST_F(SearchPathTest, TheFirstFileWins) {
    touch("b/librl_source_x.so");
    EXPECT_EQ(find_file(places(), "source", "x")->path, in("b/librl_source_x.so"));
    EXPECT_EQ(find_file(places(), "source", "x")->origin, "last");
    touch("a/librl_source_x.so");
    EXPECT_EQ(find_file(places(), "source", "x")->path, in("a/librl_source_x.so"));
    EXPECT_FALSE(find_file(places(), "pacer", "x"));
    EXPECT_FALSE(find_file(places(), "source", "librl_source_x.so"));
}

TEST_F(SearchPathTest, ANameWithASlashIsAPath) {
    EXPECT_EQ(find_file(places(), "source", "./x.so")->path, "./x.so");
    EXPECT_EQ(find_file({}, "source", "/no/such.so")->origin, "given as a path");
}

TEST_F(SearchPathTest, OrderOfPlaces) {
    ::setenv("RINGLOAD_PLUGIN_PATH", "/env/one::/env/two:", 1);
    ::setenv("RINGLOAD_BACKEND_PATH", "/env/backends", 1);
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
    EXPECT_TRUE(path.plugins[4].directory.ends_with("/ringload/plugins")) << path.plugins[4].directory;
    EXPECT_EQ(path.plugins[5].origin, "installed");
    EXPECT_EQ(path.backends[0].directory, "/env/backends");
    EXPECT_TRUE(path.backends[1].directory.ends_with("/ringload/backends")) << path.backends[1].directory;
    for (const Place& place : path.plugins) EXPECT_TRUE(place.directory.starts_with("/")) << "never the current directory";
}

TEST_F(SearchPathTest, FindAllMarksWhatIsShadowed) {
    touch("a/librl_source_x.so");
    touch("b/librl_source_x.so");
    touch("b/librl_source_m.so");
    touch("b/librl_pacer_x.so");
    touch("b/librl_source_.so");
    touch("b/librl_source_y.so.1");
    touch("b/source_z.so");
    const auto found = find_all(places(), "source");
    ASSERT_EQ(found.size(), 3u);
    EXPECT_EQ(found[0].name, "x");
    EXPECT_FALSE(found[0].shadowed);
    EXPECT_EQ(found[1].name, "m");
    EXPECT_EQ(found[2].name, "x");
    EXPECT_TRUE(found[2].shadowed);
    EXPECT_EQ(found[2].file.path, in("b/librl_source_x.so"));
}

}  // namespace
}  // namespace rl::module
