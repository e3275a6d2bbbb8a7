// Words to options: grammar, aliases, unknown names, habits of other tools.
#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>
#include <vector>

#include "tools/ringload/cli.hpp"
#include "tools/ringload/nearest.hpp"

namespace rl::cli {
namespace {

using Words = std::vector<std::string>;

Result<CommandLine> first_pass(const Words& words) { return scan(words, {}, DottedNames::tolerated); }

// "threads=4 latency= | URL": what was understood, or the failure's text.
std::string shown(const Result<CommandLine>& line) {
    if (!line) return line.error().text;
    std::string out;
    for (const Given& given : line->options) out += std::string(given.spec->name) + "=" + given.value + " ";
    for (const engine::OptionValue& given : line->plugin_options) out += given.owner + "." + given.option + "=" + given.value + " ";
    out += "|";
    for (const std::string& url : line->urls) out += " " + url;
    return out;
}

std::string scanned(const Words& words) { return shown(first_pass(words)); }

TEST(Scan, ValuesAttachedNextOrBehindAnEqualsSign) {
    const std::string expected = "threads=2 connections=100 duration=30s request=POST | http://h/";
    EXPECT_EQ(scanned({"-t2", "-c100", "-d30s", "-XPOST", "http://h/"}), expected);
    EXPECT_EQ(scanned({"-t", "2", "-c", "100", "-d", "30s", "-X", "POST", "http://h/"}), expected);
    EXPECT_EQ(scanned({"--threads=2", "--connections=100", "--duration=30s", "--request=POST", "http://h/"}), expected);
    EXPECT_EQ(scanned({"--threads", "2", "--connections", "100", "http://h/", "--duration", "30s", "--request", "POST"}), expected);
}

TEST(Scan, EveryNameOfEveryOptionLeadsToIt) {
    for (const OptionSpec& spec : option_table()) {
        if (spec.shown == Shown::hidden) continue;
        Words names = {"--" + std::string(spec.name)};
        if (spec.short_name != 0) names.push_back(std::string("-") + spec.short_name);
        for (const std::string_view alias : words(spec.aliases)) names.push_back((alias.size() == 1 ? "-" : "--") + std::string(alias));
        for (const std::string& name : names) {
            const bool value = spec.type != ValueType::none && spec.type != ValueType::optional;
            const auto line = first_pass(value ? Words{name, "7"} : Words{name});
            ASSERT_TRUE(line) << name << ": " << line.error().text;
            ASSERT_EQ(line->options.size(), 1U) << name;
            EXPECT_EQ(line->options[0].spec, &spec) << name;
            EXPECT_EQ(line->options[0].typed, name);
            EXPECT_EQ(line->options[0].value, value ? "7" : spec.type == ValueType::optional ? spec.def : "") << name;
        }
    }
}

TEST(Scan, NamesAreUnique) {
    std::set<std::string> seen;
    for (const OptionSpec& spec : option_table()) {
        std::vector<std::string> names;
        if (spec.short_name != 0) names.emplace_back(1, spec.short_name);
        if (!spec.name.empty()) names.emplace_back(spec.name);
        for (const std::string_view alias : words(spec.aliases)) names.emplace_back(alias);
        for (const std::string& name : names) EXPECT_TRUE(seen.insert(name).second) << name;
        EXPECT_EQ(spec.name.find('.'), std::string_view::npos) << "names with a dot belong to plug-ins";
    }
}

TEST(Scan, EmptyValuesAreValues) {
    EXPECT_EQ(scanned({"--data=", "http://h/"}), "data= | http://h/");
    EXPECT_EQ(scanned({"--data", "", "http://h/"}), "data= | http://h/");
    EXPECT_EQ(scanned({"-b", "", "http://h/"}), "body= | http://h/");
}

TEST(Scan, ValuesMayLookLikeOptions) {
    EXPECT_EQ(scanned({"--data", "-x=1", "http://h/"}), "data=-x=1 | http://h/");
    EXPECT_EQ(scanned({"-n", "-5", "http://h/"}), "requests=-5 | http://h/");
    EXPECT_EQ(scanned({"-H", "-d: x", "http://h/"}), "header=-d: x | http://h/");
    EXPECT_EQ(scanned({"--data=-d", "http://h/"}), "data=-d | http://h/");
}

TEST(Scan, AValueMayBeAnOptionWhoseOwnValueMayBeLeftOut) {
    EXPECT_EQ(scanned({"--data", "--help", "http://h/"}), "data=--help | http://h/");
    EXPECT_EQ(scanned({"-b", "--help", "http://h/"}), "body=--help | http://h/");
    EXPECT_EQ(scanned({"-b", "-h", "http://h/"}), "body=-h | http://h/");
    EXPECT_EQ(scanned({"--data", "--body=", "http://h/"}), "--data: needs a value");
    EXPECT_EQ(scanned({"--data", "-b", "--help", "http://h/"}), "--data: needs a value");
    EXPECT_EQ(scanned({"--data", "--io_uring.discard", "http://h/"}), "data=--io_uring.discard | http://h/");
    const rl_option discard = {"discard", nullptr, "false", "drop", nullptr, 0, 0, RL_OPTION_BOOL, 0};
    const module::OptionTable table{"io_uring", &discard, 1};
    const Words words = {"--data", "--io_uring.discard", "--io_uring.discard", "http://h/"};
    EXPECT_EQ(shown(scan(words, {&table, 1}, DottedNames::checked)), "data=--io_uring.discard io_uring.discard=true | http://h/");
}

TEST(Scan, ThreeDashesAndNoNameAreNoOption) {
    EXPECT_EQ(scanned({"---c", "5", "http://h/"}), "---c: unknown option; ringload --help=all lists them");
    EXPECT_EQ(scanned({"---c=5", "http://h/"}), "---c: unknown option; ringload --help=all lists them");
    EXPECT_EQ(scanned({"--=5", "http://h/"}), "--: unknown option; ringload --help=all lists them");
}

TEST(Scan, TwoDashesEndTheOptions) { EXPECT_EQ(scanned({"-c", "1", "--", "-d", "--help"}), "connections=1 | -d --help"); }

TEST(Scan, HelpTakesItsValueOnlyAttached) {
    EXPECT_EQ(scanned({"--help=json"}), "help=json |");
    EXPECT_EQ(scanned({"--help", "json"}), "help=common | json");
    EXPECT_EQ(scanned({"-h"}), "help=common |");
}

TEST(Scan, MissingAndSuperfluousValues) {
    EXPECT_EQ(scanned({"http://h/", "-c"}), "-c: needs a value");
    EXPECT_EQ(scanned({"--connections"}), "--connections: needs a value");
    EXPECT_EQ(scanned({"-c", "-d", "5s"}), "-c: needs a value");
    EXPECT_EQ(scanned({"-c", "5", "-p", "-d", "5s"}), "-p: needs a value");
    EXPECT_EQ(scanned({"--latency=yes"}), "--latency: takes no value");
    EXPECT_EQ(scanned({"http://h/", "-q"}), "-q: needs a rate in requests per second; for no output use --quiet");
}

TEST(Scan, UnknownOptionsGetTheNearestName) {
    EXPECT_EQ(scanned({"--thread", "4"}), "--thread: unknown option; did you mean --threads?");
    EXPECT_EQ(scanned({"--conections=4"}), "--conections: unknown option; did you mean --connections?");
    EXPECT_EQ(scanned({"--concurency", "4"}), "--concurency: unknown option; did you mean --concurrency?");
    EXPECT_EQ(scanned({"--durtaion", "4"}), "--durtaion: unknown option; did you mean --duration?");
    EXPECT_EQ(scanned({"--conn", "4"}), "--conn: unknown option; did you mean --connections?");
    EXPECT_EQ(scanned({"--frobnicate"}), "--frobnicate: unknown option; ringload --help=all lists them");
    EXPECT_EQ(scanned({"-Z"}), "-Z: unknown option; ringload --help=all lists them");
    EXPECT_EQ(scanned({"-c", "5", "--quantiles", "1s:5"}), "--quantiles: unknown option; ringload --help=all lists them");
}

TEST(Scan, TwoNamesWhenBothAreEquallyNear) {
    EXPECT_EQ(scanned({"--bode", "x"}), "--bode: unknown option; did you mean --body?");
    EXPECT_EQ(scanned({"--body-f", "x"}), "--body-f: unknown option; did you mean --body-file?");
    EXPECT_EQ(scanned({"--pro", "x"}), "--pro: unknown option; did you mean --progress?");
    EXPECT_EQ(scanned({"--req", "x"}), "--req: unknown option; did you mean --requests (or --requests-per-connection)?");
}

TEST(Scan, ClashingOptionsOfOtherToolsAreRefused) {
    const std::string script = ": Lua scripts are not supported; vary requests with a source plug-in (--source NAME, see ringload list)";
    EXPECT_EQ(scanned({"-s", "post.lua", "http://h/"}), "-s" + script);
    EXPECT_EQ(scanned({"-spost.lua", "http://h/"}), "-s" + script);
    EXPECT_EQ(scanned({"--script=post.lua", "http://h/"}), "--script" + script);
    EXPECT_EQ(scanned({"http://h/", "-s"}), "-s" + script);
    EXPECT_EQ(scanned({"-r", "500", "http://h/"}), "-r: means different things in other tools; use --rate, --requests or --reporter");
    EXPECT_EQ(scanned({"-k", "http://h/"}),
              "-k: means different things in other tools; to close each connection use --disable-keepalive (kept connections are the "
              "default)");
}

TEST(Scan, PluginOptionsAreKeptAsideInTheFirstPass) {
    EXPECT_EQ(scanned({"--jsonl.path=a.jsonl", "http://h/"}), "jsonl.path=a.jsonl | http://h/");
    EXPECT_EQ(scanned({"--.path=a"}), "--.path: unknown option; ringload --help=all lists them");
    EXPECT_EQ(scanned({"--jsonl.=a"}), "--jsonl.: unknown option; did you mean --json?");
}

TEST(Scan, PluginOptionsAreCheckedInTheSecondPass) {
    const std::array<rl_option, 2> options = {{{"path", "FILE", nullptr, "the file", nullptr, 0, 0, RL_OPTION_STRING, 0},
                                               {"loop", nullptr, "false", "start over", nullptr, 0, 0, RL_OPTION_BOOL, 0}}};
    const module::OptionTable table{"jsonl", options.data(), 2};
    const auto second = [&](const Words& words) { return shown(scan(words, {&table, 1}, DottedNames::checked)); };
    EXPECT_EQ(second({"--jsonl.path", "a.jsonl", "http://h/"}), "jsonl.path=a.jsonl | http://h/");
    EXPECT_EQ(second({"--jsonl.path=", "http://h/"}), "jsonl.path= | http://h/");
    EXPECT_EQ(second({"--jsonl.loop", "http://h/"}), "jsonl.loop=true | http://h/");
    EXPECT_EQ(second({"--jsonl.loop=no", "http://h/"}), "jsonl.loop=no | http://h/");
    EXPECT_EQ(second({"--jsonl.paht=a"}), "--jsonl.paht: unknown option; did you mean --jsonl.path?");
    EXPECT_EQ(second({"--csv.path=a"}), "--csv.path: unknown option; ringload --help=all lists them");
    EXPECT_EQ(second({"--jsonl.nonsense=a"}), "--jsonl.nonsense: unknown option; see ringload --help=jsonl");
    const module::OptionTable bare{"jsonl", nullptr, 0};
    EXPECT_EQ(shown(scan(Words{"--jsonl.path=a"}, {&bare, 1}, DottedNames::checked)), "--jsonl.path: unknown option; jsonl has no options");
}

TEST(Owners, EachOnceInOrder) {
    const auto line = first_pass({"--b.x=1", "--a.x=1", "--b.y=2"});
    ASSERT_TRUE(line);
    EXPECT_EQ(owners_of(*line), (Words{"b", "a"}));
}

TEST(EditDistance, CountsASwapOnce) {
    EXPECT_EQ(edit_distance("", ""), 0U);
    EXPECT_EQ(edit_distance("", "abc"), 3U);
    EXPECT_EQ(edit_distance("abc", ""), 3U);
    EXPECT_EQ(edit_distance("abcd", "abdc"), 1U);
    EXPECT_EQ(edit_distance("kitten", "sitting"), 3U);
    EXPECT_EQ(edit_distance("ca", "abc"), 3U);  // optimal string alignment: nothing is edited twice
}

TEST(DidYouMean, SaysNothingWhenNothingIsNear) {
    const Words known = {"rate", "data"};
    EXPECT_EQ(did_you_mean("xyzzy", known, "--"), "");
    EXPECT_EQ(did_you_mean("date", known, "--"), "; did you mean --rate (or --data)?");
    EXPECT_EQ(did_you_mean(std::string(100'000, 'r'), known, "--"), "");
    EXPECT_EQ(did_you_mean("", known, "--"), "");
}

}  // namespace
}  // namespace rl::cli
