// print_report PLUGIN SAMPLE PART [color|plain] [WIDTH] [OPTION=VALUE]...: one reporter's output for one fixed run, on stdout.
//
// PART is end, begin, sample or effective: which tree the reporter is given. The locale is taken from the environment, as a program
// that links this reporter might have done; the tests set it to one that writes numbers with commas. On stderr: the decimal
// point of that locale, and the number of write() calls.
#include <clocale>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/standard_streams.hpp"
#include "core/module/host_table.hpp"
#include "core/module/option_binding.hpp"
#include "core/module/plugin_instance.hpp"
#include "core/module/plugin_loader.hpp"
#include "core/report/tree.hpp"
#include "tests/support/run_samples.hpp"

namespace {

struct Output {
    std::string text;
    unsigned writes = 0;
};

int write_output(void* self, const char* text, size_t n) {
    auto& output = *static_cast<Output*>(self);
    output.text.append(text, n);
    ++output.writes;
    return 0;
}

[[noreturn]] void die(const std::string& text) {
    std::fprintf(stderr, "print_report: %s\n", text.c_str());
    std::exit(2);
}

rl::report::ReportTree tree_of(std::string_view part, const rl::engine::RunResult& run) {
    rl::report::Context context;
    context.tool_version = "0.1.0";
    if (run.stop == rl::engine::StopReason::gave_up) {
        context.exit_code = 3;
        context.verdict = "target_unreachable";
    } else if (run.stop == rl::engine::StopReason::interrupted) {
        context.exit_code = 130;
        context.verdict = "interrupted";
    }
    if (part == "effective") return rl::report::ReportTree::effective(run.spec);
    if (part == "begin") return rl::report::ReportTree::begin(run, context);
    if (part == "sample") {
        if (run.series.empty()) die("this sample has no series");
        return rl::report::ReportTree::sample(run.series.front());
    }
    return rl::report::ReportTree::end(rl::report::build_report(run, context));
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4) die("PLUGIN SAMPLE PART are needed");
    std::setlocale(LC_ALL, "");
    const rl::engine::RunResult run = rl::tests::run_sample(argv[2]);
    const rl::report::ReportTree tree = tree_of(argv[3], run);

    auto plugin = rl::module::load_plugin(rl::module::Kind::reporter, argv[1], {});
    if (!plugin) die(plugin.error().text);
    std::vector<rl::engine::OptionValue> given;
    for (int i = 6; i < argc; ++i) {
        const std::string_view option = argv[i];
        const size_t equals = option.find('=');
        given.push_back({plugin->plugin->name, std::string(option.substr(0, equals)), std::string(option.substr(equals + 1))});
    }
    auto bound = rl::module::bind_options(*plugin->plugin, given);
    if (!bound) die(bound.error().text);
    const rl::module::HostTable host(plugin->plugin->name);
    const rl::module::OpenInfo open(run.spec, host.get(), *bound);
    auto reporter = rl::module::ReporterInstance::open(*plugin, open.get());
    if (!reporter) die(reporter.error().text);

    Output output;
    rl_output out{};
    out.size = sizeof out;
    out.color = argc > 4 && std::string_view(argv[4]) == "color" ? 1 : 0;
    out.is_terminal = out.color;
    out.width = argc > 5 ? static_cast<uint32_t>(std::atoi(argv[5])) : 0;
    out.self = &output;
    out.write = &write_output;
    rl_report report{};
    report.size = sizeof report;
    report.is_final = 1;
    report.root = tree.root();
    report.out = &out;
    report.host = host.get();
    rl_error error = rl::module::empty_error();
    if (reporter->ops().end(reporter->shared(), &report, &error) != 0) die(rl::module::error_text(error));
    if (!rl::write_standard_output(output.text)) die("cannot write");
    std::fprintf(stderr, "%s %u\n", std::localeconv()->decimal_point, output.writes);
    return 0;
}
