// What the program prints beside reports: help, list, progress.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/verdict/exit_code.hpp"
#include "tests/support/set_environment.hpp"
#include "tools/ringload/commands.hpp"
#include "tools/ringload/help.hpp"
#include "tools/ringload/list.hpp"
#include "tools/ringload/progress.hpp"
#include "tools/ringload/screen.hpp"

namespace rl::cli {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines(1);
    for (const char c : text) {
        if (c == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += c;
        }
    }
    return lines;
}

size_t widest(const std::string& text) {
    size_t width = 0;
    for (const std::string& line : lines_of(text)) width = std::max(width, line.size());
    return width;
}

TEST(Help, FitsTwoScreens) {
    const std::string page = help_page();
    EXPECT_LE(lines_of(page).size(), 50U);
    EXPECT_LE(widest(page), 100U);
    EXPECT_LE(widest(help_all_page()), 100U);
    EXPECT_LT(page.find("Examples:"), page.find("Load:"));
}

TEST(Help, AllNamesEveryOptionThatIsNotRefused) {
    const std::string page = help_all_page();
    for (const OptionSpec& spec : option_table()) {
        if (spec.name.empty()) continue;
        const bool there = page.find("--" + std::string(spec.name)) != std::string::npos;
        EXPECT_EQ(there, spec.shown != Shown::hidden) << spec.name;
    }
    EXPECT_NE(page.find("143  "), std::string::npos);
    EXPECT_NE(page.find("no valid HTTP answer at all"), std::string::npos);
}

TEST(Help, AllListsChoices) {
    const std::string page = help_all_page();
    EXPECT_NE(page.find("how a worker waits for answers (auto, sleep, spin, batch)\n"), std::string::npos) << page;
    EXPECT_NE(page.find("poisson) [constant]\n"), std::string::npos) << page;
    EXPECT_NE(help_group_page("engine")->find("(auto, sleep, spin, batch)"), std::string::npos);
}

TEST(Help, GroupsStandAlone) {
    for (const GroupSpec& group : group_table()) EXPECT_TRUE(help_group_page(group.name)) << group.name;
    EXPECT_FALSE(help_group_page("nonsense"));
    const std::string page = *help_group_page("engine");
    EXPECT_NE(page.find("--pin"), std::string::npos);
    EXPECT_EQ(page.find("--rate"), std::string::npos);
}

TEST(Help, EveryOptionIsInAGroup) {
    for (const OptionSpec& spec : option_table()) {
        const auto groups = group_table();
        EXPECT_TRUE(std::any_of(groups.begin(), groups.end(), [&](const auto& group) { return group.name == spec.group; })) << spec.name;
    }
}

TEST(Help, PluginsShowTypesBoundsChoicesAndDefaults) {
    const char* const choices[] = {"once", "loop", nullptr};
    const rl_option options[] = {{"path", "FILE", nullptr, "the file", nullptr, 0, 0, RL_OPTION_STRING, RL_OPTION_REQUIRED},
                                 {"mode", nullptr, "once", "what at the end", choices, 0, 0, RL_OPTION_STRING, 0},
                                 {"depth", "N", "4", "how deep", nullptr, 1, 9, RL_OPTION_U64, 0},
                                 {"check", nullptr, nullptr, nullptr, nullptr, 0, 0, RL_OPTION_BOOL, 0}};
    const std::string page = help_plugin_page("source", "jsonl", "lines of JSON", {"jsonl", options, 4});
    EXPECT_NE(page.find("jsonl (source): lines of JSON\n"), std::string::npos);
    EXPECT_NE(page.find("--jsonl.path=FILE     the file (string, required)\n"), std::string::npos);
    EXPECT_NE(page.find("--jsonl.mode=VALUE    what at the end (string: once loop) [once]\n"), std::string::npos);
    EXPECT_NE(page.find("1 to 9) [4]\n"), std::string::npos);
    EXPECT_NE(page.find("--jsonl.check[=BOOL]  (bool)\n"), std::string::npos);
    EXPECT_NE(help_plugin_page("pacer", "p", "s", {"p", nullptr, 0}).find("It has no options."), std::string::npos);
}

TEST(Help, LongSentencesOfPluginsAreWrapped) {
    const std::string sentence = "word word word word word word word word word word word word word word word word word word word";
    const rl_option option = {"an_option_with_a_long_name", "VALUE", nullptr, sentence.c_str(), nullptr, 0, 0, RL_OPTION_STRING, 0};
    const std::string page = help_plugin_page("pacer", "p", "s", {"p", &option, 1});
    EXPECT_LE(widest(page), 100U);
    EXPECT_GE(lines_of(page).size(), 6U);
}

TEST(Commands, HelpIsAnotherWayToWriteTheOption) {
    using Words = std::vector<std::string>;
    EXPECT_EQ(without_help_command({"help"}), (Words{"--help"}));
    EXPECT_EQ(without_help_command({"help", "run"}), (Words{"--help"}));
    EXPECT_EQ(without_help_command({"help", "serve"}), (Words{"serve", "--help"}));
    EXPECT_EQ(without_help_command({"help", "list"}), (Words{"list", "--help"}));
    EXPECT_EQ(without_help_command({"help", "json"}), (Words{"--help=json"}));
    EXPECT_EQ(without_help_command({"help", "--plugin-path", "x"}), (Words{"--help", "--plugin-path", "x"}));
    EXPECT_EQ(without_help_command({"http://help/"}), (Words{"http://help/"}));
    EXPECT_EQ(without_help_command({}), Words{});
}

TEST(Commands, OneBareWordMayHaveBeenMeantAsOne) {
    EXPECT_EQ(command_hint("serv"), ", or did you mean the command serve?");
    EXPECT_EQ(command_hint("lsit"), ", or did you mean the command list?");
    for (const char* url : {"http://serv/", "serv/", "serv:80", "localhost", "1", ""}) EXPECT_EQ(command_hint(url), "") << url;
}

TEST(List, SaysWhatIsWrongAndWhatIsShadowed) {
    module::Listing good;
    good.kind = "backend", good.name = "epoll", good.summary = "readiness", good.path = "/m/a.so", good.origin = "installed";
    good.usable = true, good.switches = "edge-triggered";
    module::Listing bad = good;
    bad.name = "io_uring", bad.usable = false, bad.problem = "the kernel forbids it", bad.switches = "";
    module::Listing plugin;
    plugin.kind = "pacer", plugin.name = "constant", plugin.version = "0.1.0", plugin.summary = "a rate", plugin.path = "/p/c.so";
    plugin.usable = true, plugin.shadowed = true;
    const std::vector<module::Listing> all = {good, bad, plugin};
    const std::string page = list_page(all, Listed::everything);
    EXPECT_NE(page.find("  epoll           available   readiness\n"), std::string::npos);
    EXPECT_NE(page.find("uses: edge-triggered\n"), std::string::npos);
    EXPECT_NE(page.find("/m/a.so (installed)\n"), std::string::npos);
    EXPECT_NE(page.find("problem: the kernel forbids it\n"), std::string::npos);
    EXPECT_NE(page.find("a rate, 0.1.0 (shadowed: an earlier file of that name is used)\n"), std::string::npos);
    EXPECT_NE(page.find("Sources (--source):\n  none found\n"), std::string::npos);
    EXPECT_EQ(list_page(all, Listed::backends).find("Pacers"), std::string::npos);
    EXPECT_EQ(list_page(all, Listed::plugins).find("Backends"), std::string::npos);
}

ProgressFigures half_way() {
    ProgressFigures figures;
    figures.at = 12 * kSecond;
    figures.duration = 24 * kSecond;
    figures.per_second = 139'811;
    figures.p50_ns = 690'123;
    figures.p99_ns = 1'290'123;
    return figures;
}

TEST(Progress, OneLine) {
    EXPECT_EQ(progress_text(half_way(), 100, Bar::left_out, false), "  12s / 24s  139,811 req/s  p50 690us  p99 1.29ms  failed 0");
    EXPECT_EQ(progress_text(half_way(), 89, Bar::drawn, false),
              "  12s / 24s  139,811 req/s  p50 690us  p99 1.29ms  failed 0  ██████████▌            50 %");
}

TEST(Progress, InAsciiTheBarIsTooAndOfTheSameWidth) {
    EXPECT_EQ(progress_text(half_way(), 89, Bar::drawn_in_ascii, false),
              "  12s / 24s  139,811 req/s  p50 690us  p99 1.29ms  failed 0  ###########            50 %");
}

class Screen : public ::testing::Test {
  protected:
    Screen() {
        for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG", "COLUMNS", "TERM"}) testing::set_environment(name, "");
    }
};

TEST_F(Screen, ALocaleWithoutUtf8IsAscii) {
    EXPECT_EQ(charset_from_environment(), Charset::utf8) << "none is set";
    testing::set_environment("LANG", "de_DE.UTF-8");
    EXPECT_EQ(charset_from_environment(), Charset::utf8);
    testing::set_environment("LC_CTYPE", "C.utf8");
    EXPECT_EQ(charset_from_environment(), Charset::utf8);
    testing::set_environment("LC_ALL", "C");
    EXPECT_EQ(charset_from_environment(), Charset::ascii);
    testing::set_environment("LC_ALL", "");
    EXPECT_EQ(charset_from_environment(), Charset::utf8);
    testing::set_environment("LC_CTYPE", "de_DE.ISO-8859-1");
    EXPECT_EQ(charset_from_environment(), Charset::ascii);
}

TEST_F(Screen, ColumnsCountIfTheyAreANumber) {
    EXPECT_EQ(columns_from_environment(), 0U);
    testing::set_environment("COLUMNS", "72");
    EXPECT_EQ(columns_from_environment(), 72U);
    for (const char* text : {"", "0", "-5", "wide", "99999999"}) {
        testing::set_environment("COLUMNS", text);
        EXPECT_EQ(columns_from_environment(), 0U) << text;
    }
}

TEST(Progress, NarrowTerminalsLoseTheRightEnd) {
    EXPECT_EQ(progress_text(half_way(), 30, Bar::drawn, false), "  12s / 24s  139,811 req/s");
    EXPECT_EQ(progress_text(half_way(), 5, Bar::drawn, false), "");
}

TEST(Progress, CountsLimitsAndNoAnswers) {
    ProgressFigures figures;
    figures.at = 3 * kSecond;
    figures.requests = 400;
    figures.requests_max = 1000;
    EXPECT_EQ(progress_text(figures, 80, Bar::left_out, false), "  3s  400 / 1,000  0.00 req/s  failed 0");
}

TEST(Progress, BeginsWithoutFiguresAndDoesNotRoundTheLimit) {
    ProgressFigures figures;
    figures.duration = 2'500'000'000;
    EXPECT_EQ(progress_text(figures, 80, Bar::left_out, false), "  0s / 2.50s  failed 0");
}

TEST(Progress, OnlyFailuresAreColoured) {
    ProgressFigures figures = half_way();
    EXPECT_EQ(progress_text(figures, 80, Bar::left_out, true).find('\x1b'), std::string::npos);
    figures.failed = 3;
    EXPECT_NE(progress_text(figures, 80, Bar::left_out, true).find("\x1b[31mfailed 3\x1b[0m"), std::string::npos);
    EXPECT_EQ(progress_text(figures, 80, Bar::left_out, false).find('\x1b'), std::string::npos);
}

engine::RunResult result_with(uint64_t responses, uint64_t errors, engine::StopReason stop) {
    engine::RunResult result;
    result.stats.counters.add(stats::Counter::responses, responses);
    result.stats.errors[static_cast<size_t>(stats::TransportError::connect_refused)] = errors;
    result.stop = stop;
    return result;
}

verdict::Outcome judged(const engine::RunResult& result, verdict::Measurement measurement = verdict::Measurement::believed) {
    return verdict::judge(result, measurement);
}

TEST(ExitCode, IsRanked) {
    using engine::StopReason;
    EXPECT_EQ(judged(result_with(5, 0, StopReason::duration)).exit_code, 0);
    EXPECT_EQ(judged(result_with(5, 3, StopReason::duration)).exit_code, 0);
    EXPECT_EQ(judged(result_with(0, 0, StopReason::duration)).exit_code, 0);
    EXPECT_EQ(judged(result_with(0, 1, StopReason::gave_up)).exit_code, 3);
    EXPECT_EQ(judged(result_with(0, 1, StopReason::interrupted)).exit_code, 3);
    EXPECT_EQ(judged(result_with(5, 1, StopReason::interrupted)).exit_code, 130);
    EXPECT_EQ(judged(result_with(5, 0, StopReason::terminated)).exit_code, 143);
    EXPECT_EQ(judged(result_with(0, 1, StopReason::failed)).exit_code, 2);
    EXPECT_EQ(judged(result_with(0, 1, StopReason::gave_up)).name, "target_unreachable");
    constexpr auto invalid = verdict::Measurement::invalid;
    EXPECT_EQ(judged(result_with(5, 0, StopReason::duration), invalid).exit_code, 4);
    EXPECT_EQ(judged(result_with(5, 0, StopReason::interrupted), invalid).exit_code, 4);
    EXPECT_EQ(judged(result_with(0, 1, StopReason::duration), invalid).exit_code, 3);
    EXPECT_EQ(judged(result_with(0, 1, StopReason::failed), invalid).exit_code, 2);
    EXPECT_EQ(judged(result_with(5, 0, StopReason::duration), invalid).name, "invalid");
}

}  // namespace
}  // namespace rl::cli
