// `ringload [run]`: words to plan, plan to parts, parts to the engine, its result to reports and an exit code.
#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/base/process.hpp"
#include "core/base/units.hpp"
#include "core/engine/controller.hpp"
#include "core/report/model.hpp"
#include "core/report/tree.hpp"
#include "core/verdict/exit_code.hpp"
#include "tools/ringload/build_tree.hpp"
#include "tools/ringload/cli.hpp"
#include "tools/ringload/commands.hpp"
#include "tools/ringload/help.hpp"
#include "tools/ringload/limits.hpp"
#include "tools/ringload/main.hpp"
#include "tools/ringload/nearest.hpp"
#include "tools/ringload/parts.hpp"
#include "tools/ringload/plan.hpp"
#include "tools/ringload/progress.hpp"
#include "tools/ringload/reporting.hpp"
#include "tools/ringload/screen.hpp"
#include "tools/ringload/signals.hpp"

namespace rl::cli {
namespace {

Failure usage(std::string text) { return failure(Error::usage, std::move(text)); }

int show_help(const std::string& name, const module::SearchPath& path) {
    if (name == "common") return print(help_page());
    if (name == "all") return print(help_all_page());
    if (const auto page = help_group_page(name)) return print(*page);
    auto found = find_named(name, path);
    if (!found) return complain(found.error());
    if (found->empty())
        return complain(usage("--help=" + name + ": no group, plug-in or backend is called " + name + suggest_named(name, path)));
    std::string text;
    for (const NamedTable& entry : *found)
        text += (text.empty() ? "" : "\n") + help_plugin_page(entry.kind, entry.name, entry.summary, entry.table);
    return print(text);
}

// Both passes. The second one is needed only if there are options of plug-ins: only they can change what the other words mean.
Result<Plan> make_plan(std::span<const std::string> arguments, const CommandLine& first, const module::SearchPath& path) {
    if (first.plugin_options.empty()) return resolve(first);
    auto selected = select(first);
    if (!selected) return selected.error();
    auto tables = tables_for(first, *selected, path);
    if (!tables) return tables.error();
    auto line = scan(arguments, *tables, DottedNames::checked);
    if (!line) return line.error();
    return resolve(*line);
}

// The resolved run as the json reporter prints it.
int dump_config(const Plan& plan, const module::SearchPath& path) {
    auto part = load_part(module::Kind::reporter, "json", plan.spec, path);
    if (!part) return complain(part.error());
    part->info = std::make_unique<module::OpenInfo>(plan.spec, part->host->get(), part->options);
    auto instance = module::ReporterInstance::open(part->plugin, part->info->get());
    if (!instance) return complain(instance.error());
    const auto output = Output::on_stdout(false);
    const auto tree = report::ReportTree::effective(plan.spec);
    const rl_report report{sizeof(rl_report), 1, tree.root(), output->get(), part->host->get()};
    rl_error error = module::empty_error();
    if (instance->ops().end(instance->shared(), &report, &error) != 0)
        return complain(usage("--dump-config: " + module::error_text(error)));
    auto finished = output->finish();
    return finished ? verdict::kHeld : complain(finished.error());
}

class Observer final : public engine::RunObserver {
  public:
    Observer(Reporting& reporting, ProgressLine& progress) : reporting_(reporting), progress_(progress) {}

    void begin(const engine::RunResult& so_far) override {
        catch_stop_signals();
        reporting_.begin(so_far);
        progress_.begin();
    }
    void sample(const engine::Sample& interval, const engine::RunResult&) override {
        progress_.erase();
        reporting_.sample(interval);
        progress_.add(interval);
    }

  private:
    Reporting& reporting_;
    ProgressLine& progress_;
};

// Source and pacer, opened; closed in the opposite order after the workers are gone.
struct OpenParts {
    std::optional<module::SourceInstance> source;
    std::optional<module::PacerInstance> pacer;
};

Result<void> open_parts(const Plan& plan, RunPlugins& plugins, OpenParts& out) {
    for (LoadedPart* part : {&plugins.source, &plugins.pacer}) {
        part->info = std::make_unique<module::OpenInfo>(plan.spec, part->host->get(), part->options);
    }
    auto source = module::SourceInstance::open(plugins.source.plugin, plugins.source.info->get());
    if (!source) return source.error();
    out.source.emplace(std::move(*source));
    auto pacer = module::PacerInstance::open(plugins.pacer.plugin, plugins.pacer.info->get());
    if (!pacer) return pacer.error();
    out.pacer.emplace(std::move(*pacer));
    return {};
}

int report_run(engine::RunResult& result, Plan& plan, std::vector<std::string> notes, Reporting& reporting) {
    auto& warnings = result.warnings;
    warnings.insert(warnings.begin(), notes.begin(), notes.end());
    warnings.insert(warnings.begin(), plan.warnings.begin(), plan.warnings.end());
    if (!result.tls_failure.empty()) warnings.push_back("The first TLS handshake that failed: " + result.tls_failure + '.');
    if (result.stop == engine::StopReason::source_ended) {
        const uint64_t taken = result.stats.counters.get(stats::Counter::requests);
        const bool scheduled = plan.spec.source == "static_url";  // which never runs out
        std::string text = (scheduled ? "The schedule of pacer " + plan.spec.pacer : "Source " + plan.spec.source) + " ran out after " +
                           format_count(taken);
        if (plan.spec.requests > taken) text += " of " + format_count(plan.spec.requests);
        warnings.push_back(text + (taken == 1 && plan.spec.requests == 0 ? " request." : " requests."));
    }
    const bool invalid = plan.fail_on_invalid && report::audit(result).verdict != report::Verdict::valid;
    const verdict::Outcome outcome = verdict::judge(result, invalid ? verdict::Measurement::invalid : verdict::Measurement::believed);
    report::Context context;
    context.tool_version = RINGLOAD_VERSION;
    context.exit_code = outcome.exit_code;
    context.verdict = std::string(outcome.name);
    const bool complete = reporting.end(report::build_report(result, std::move(context)));
    if (result.stop == engine::StopReason::failed) complain(usage(result.failure));
    return complete ? outcome.exit_code : verdict::kUsage;
}

// What there is instead of a backend that there is not; "" where nothing is near enough to be meant.
std::string backend_hint(const std::string& name, const module::SearchPath& path) {
    if (name == "auto" || name.find('/') != std::string::npos) return "";
    std::vector<std::string> known{"auto"};
    for (const rl_backend_entry_fn entry : path.linked_backends) known.emplace_back(entry()->name);
    if (path.linked_backends.empty()) {
        for (const auto& found : module::find_all(path.backends, "backend")) known.push_back(found.name);
    }
    return std::find(known.begin(), known.end(), name) != known.end() ? "" : did_you_mean(name, known, "");
}

// A page in a locale without UTF-8 is written in ASCII, unless something else was asked for.
void follow_locale(Plan& plan) {
    auto& options = plan.spec.plugin_options;
    const bool given = std::any_of(options.begin(), options.end(),
                                   [](const engine::OptionValue& value) { return value.owner == "text" && value.option == "charset"; });
    if (plan.reporter != "text" || given || charset_from_environment() == Charset::utf8) return;
    options.push_back({"text", "charset", "ascii"});
}

int run_plan(Plan& plan, const module::SearchPath& path, const Program& program) {
    follow_locale(plan);
    auto plugins = load_plugins(plan, path);
    if (!plugins) return complain(plugins.error());
    const auto settled = settle_pacing(plan, plugins->pacer.plugin.pacer());
    if (!settled) return complain(settled.error());
    if (plan.dump_config) return dump_config(plan, path);
    const std::string hint = backend_hint(plan.spec.backend, path);
    if (!hint.empty()) return complain(usage("--backend " + plan.spec.backend + ": there is no backend of that name" + hint));
    auto backend = module::select_backend(plan.spec.backend, plan.spec.plugin_options, path);
    if (!backend) {
        const bool none = path.linked_backends.empty() && module::find_all(path.backends, "backend").empty();
        return complain(usage(backend.error().text + (none ? build_tree_hint(program_path()) : "")));
    }
    if (plan.spec.wait == engine::Wait::batch && backend->caps.batched_wait == 0) {
        plan.warnings.push_back("Backend " + std::string(backend->module().name) +
                                " cannot wait for a batch of completions; --wait batch slept until the first one.");
    }
    const auto raised = raise_file_limit(plan.spec);
    if (!raised) return complain(raised.error());
    auto reporting = Reporting::open(plan, *plugins, RINGLOAD_VERSION);
    if (!reporting) return complain(reporting.error());
    OpenParts open;
    const auto opened = open_parts(plan, *plugins, open);
    if (!opened) return complain(opened.error());

    ignore_write_signals();
    ProgressLine progress(plan);
    if (plan.progress != Progress::never || plan.reporter != "quiet") {
        for (const std::string& note : backend->notes) complain(usage(note));
    }
    Observer observer(**reporting, progress);
    const engine::RunParts parts{.source = &open.source->ops(),
                                 .source_shared = open.source->shared(),
                                 .pacer = &open.pacer->ops(),
                                 .pacer_shared = open.pacer->shared(),
                                 .run_worker = backend->module().run_worker,
                                 .backend_values = backend->options.data(),
                                 .process_start_ns = program.start_ns};
    auto result = engine::run(plan.spec, parts, observer, stop_signal());
    progress.erase();
    if (!result) {
        const std::string meant = result.error().code == Error::resolve ? command_hint(plan.spec.request.url) : "";
        return complain(failure(result.error().code, result.error().text + meant));
    }
    return report_run(*result, plan, backend->notes, **reporting);
}

}  // namespace

int run_command(std::span<const std::string> arguments, const Program& program) {
    auto line = scan(arguments, {}, DottedNames::tolerated);
    if (!line) return complain(line.error());
    if (line->has(OptionId::version)) return print(version_line() + "\n");
    const auto path = search_path_of(*line, program.linked_backends);
    if (!path) return complain(path.error());
    if (const Given* const help = line->last(OptionId::help)) return show_help(help->value, *path);
    auto plan = make_plan(arguments, *line, *path);
    if (!plan) return complain(plan.error());
    return run_plan(*plan, *path, program);
}

}  // namespace rl::cli
