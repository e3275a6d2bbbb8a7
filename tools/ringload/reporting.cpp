// Trees live for one call each; reporters may not keep them.
#include "tools/ringload/reporting.hpp"

#include <utility>

#include "core/report/tree.hpp"
#include "tools/ringload/main.hpp"
#include "tools/ringload/progress.hpp"

namespace rl::cli {
namespace {

Failure named(const std::string& what, const Failure& failure_of) {
    return failure(failure_of.code, what + ": " + failure_of.text, failure_of.os);
}

}  // namespace

Result<std::unique_ptr<Reporting>> Reporting::open(const Plan& plan, RunPlugins& plugins, std::string tool_version) {
    std::unique_ptr<Reporting> reporting(new Reporting(std::move(tool_version)));
    std::vector<std::pair<std::string, std::string>> files;  // path, and who writes it
    const auto open_file = [&](const std::string& what, const std::string& file, LoadedPart& part) -> Result<void> {
        auto target = check_file(file);
        if (!target) return named(what, target.error());
        for (const auto& [path, who] : files) {
            if (target->path == path && !target->in_place) {
                return failure(Error::usage, who + " and " + what + ": both are the same file; name two");
            }
        }
        files.emplace_back(target->path, what);
        return reporting->add(plan, what, part, Output::in_file(std::move(*target)));
    };
    if (plugins.reporter && plan.output_file.empty()) {
        RL_TRY(check_stdout());
        RL_TRY(reporting->add(plan, "", *plugins.reporter, Output::on_stdout(color_allowed(plan))));
    } else if (plugins.reporter) {
        RL_TRY(open_file("-O " + plan.output_file, plan.output_file, *plugins.reporter));
    }
    for (size_t i = 0; i < plan.side_reports.size(); ++i) {
        const SideReport& side = plan.side_reports[i];
        RL_TRY(open_file(side.typed + ' ' + side.file, side.file, plugins.side[i]));
    }
    return reporting;
}

Result<void> Reporting::add(const Plan& plan, std::string what, LoadedPart& part, std::unique_ptr<Output> output) {
    part.info = std::make_unique<module::OpenInfo>(plan.spec, part.host->get(), part.options);
    auto instance = module::ReporterInstance::open(part.plugin, part.info->get());
    if (!instance) return instance.error();
    entries_.push_back(
        {std::move(what), &part, std::move(output), std::make_unique<module::ReporterInstance>(std::move(*instance)), false});
    return {};
}

void Reporting::complain_once(Entry& entry, const std::string& why) {
    if (!entry.broken) complain(failure(Error::io, (entry.what.empty() ? "" : entry.what + ": ") + why));
    entry.broken = true;
}

void Reporting::call(Entry& entry, Step step, const rl_node* root, bool is_final) {
    if (step == nullptr || (entry.broken && !is_final)) return;
    const rl_report report{sizeof(rl_report), is_final ? 1U : 0U, root, entry.output->get(), entry.part->host->get()};
    rl_error error = module::empty_error();
    if (step(entry.instance->shared(), &report, &error) != 0) {
        complain_once(entry, "reporter " + std::string(entry.part->plugin.plugin->name) + ": " + module::error_text(error));
    }
    auto flushed = entry.output->flush();
    if (!flushed) complain_once(entry, flushed.error().text);
}

void Reporting::begin(const engine::RunResult& so_far) {
    report::Context context;
    context.tool_version = tool_version_;
    const auto tree = report::ReportTree::begin(so_far, context);
    for (Entry& entry : entries_) call(entry, entry.instance->ops().begin, tree.root(), false);
}

void Reporting::sample(const engine::Sample& interval) {
    const auto tree = report::ReportTree::sample(interval);
    for (Entry& entry : entries_) call(entry, entry.instance->ops().sample, tree.root(), false);
}

bool Reporting::end(const report::RunReport& report) {
    const auto tree = report::ReportTree::end(report);
    bool complete = true;
    for (Entry& entry : entries_) {
        call(entry, entry.instance->ops().end, tree.root(), true);
        auto finished = entry.output->finish();
        if (!finished) {
            complain_once(entry, finished.error().text);
            // What was measured is not lost with its file.
            if (entry.what.starts_with("-O")) {
                auto rescued = write_stdout(entry.output->text());
                if (!rescued) complain(rescued.error());
            }
        }
        complete = complete && !entry.broken;
    }
    return complete;
}

}  // namespace rl::cli
