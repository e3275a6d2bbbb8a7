// What is made from the option table at build time: the manual and the completions.
#include <gtest/gtest.h>

#include <string>

#include "core/report/model.hpp"
#include "core/report/tree.hpp"
#include "core/stats/transport_error.hpp"
#include "tests/support/run_samples.hpp"
#include "tools/ringload/docs/docgen.hpp"
#include "tools/serve/option_rows.hpp"

namespace rl::cli {
namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(Manual, TellsWhatTheReportMeans) {
    const std::string page = report_sections();
    EXPECT_TRUE(has(man_page(), page));
    for (const char* word : {"service", "corrected", "send delay", "from 200 to 299", "report.schema.json", "python3 -c"}) {
        EXPECT_TRUE(has(page, word)) << word;
    }
    for (const report::Verdict verdict : {report::Verdict::valid, report::Verdict::client_saturated, report::Verdict::inconsistent}) {
        EXPECT_TRUE(has(page, ".Cm " + std::string(report::verdict_name(verdict)) + " :")) << report::verdict_name(verdict);
    }
    for (size_t i = 1; i < stats::kTransportErrors; ++i) {
        EXPECT_TRUE(has(page, std::string(stats::kTransportErrorNames[i]))) << stats::kTransportErrorNames[i];
    }
}

TEST(Manual, NamesEveryKeyOfTheJsonReport) {
    const std::string page = report_sections();
    const engine::RunResult run = tests::run_sample("closed");
    const auto tree = report::ReportTree::end(report::build_report(run, {}));
    for (uint32_t i = 0; i < tree.root()->count; ++i) {
        const std::string key = tree.root()->v.items[i].key;
        EXPECT_TRUE(has(page, " " + key + " ") || has(page, " " + key + "\n")) << key;
    }
}

TEST(Manual, HasTheOptionsOfTheBundledTargetAndBearsOurName) {
    const std::string page = man_page();
    for (const serve::OptionRow& row : serve::kOptionRows) EXPECT_TRUE(has(page, "\n.It Fl Fl " + std::string(row.name))) << row.name;
    EXPECT_TRUE(has(page, "\n.Os \"ringload "));
    EXPECT_TRUE(has(page, "\n.Ss ringload list\n"));
}

TEST(Completions, KnowTheOptionsOfTheBundledTarget) {
    for (const serve::OptionRow& row : serve::kOptionRows) {
        const std::string name(row.name);
        EXPECT_TRUE(has(bash_completion(), " --" + name)) << name;
        EXPECT_TRUE(has(zsh_completion(), "--" + name)) << name;
        EXPECT_TRUE(has(fish_completion(), "'__fish_seen_subcommand_from serve' -l " + name)) << name;
    }
}

TEST(Completions, AskForTheNamesOfPartsWhenTheyAreWanted) {
    for (const std::string& text : {bash_completion(), zsh_completion(), fish_completion()}) {
        for (const char* kind : {"Sources", "Pacers", "Reporters", "Backends"})
            EXPECT_TRUE(has(text, "_ringload_listed " + std::string(kind))) << kind;
    }
}

}  // namespace
}  // namespace rl::cli
