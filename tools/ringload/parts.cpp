// Names to tables. Backends and plug-ins share one space of names as far as --NAME.option goes.
#include "tools/ringload/parts.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/dynlib.hpp"
#include "core/base/path.hpp"
#include "core/base/process.hpp"
#include "tools/ringload/build_tree.hpp"
#include "tools/ringload/nearest.hpp"

namespace rl::cli {
namespace {

constexpr module::Kind kKinds[] = {module::Kind::source, module::Kind::pacer, module::Kind::reporter};

Result<module::LoadedPlugin> load_named(module::Kind kind, const std::string& name, const module::SearchPath& path) {
    if (is_place(name) || module::find_file(path.plugins, module::kind_name(kind), name)) {
        return module::load_plugin(kind, name, path);
    }
    std::vector<std::string> known;
    for (const auto& found : module::find_all(path.plugins, module::kind_name(kind))) known.push_back(found.name);
    const std::string hint = did_you_mean(name, known, "");
    if (hint.empty()) {  // The loader's own sentence says where it looked.
        auto loaded = module::load_plugin(kind, name, path);
        if (loaded) return loaded;
        return failure(loaded.error().code, loaded.error().text + build_tree_hint(program_path()), loaded.error().os);
    }
    return failure(Error::usage, "there is no " + std::string(module::kind_name(kind)) + " called " + name + hint);
}

// Names of all backends on the path, linked or as files.
std::vector<std::string> backend_names(const module::SearchPath& path) {
    std::vector<std::string> names;
    for (const rl_backend_entry_fn entry : path.linked_backends) names.emplace_back(entry()->name);
    if (names.empty()) {
        for (const auto& found : module::find_all(path.backends, "backend")) names.push_back(found.name);
    }
    return names;
}

NamedTable named(const rl_backend_module& module) {
    return {"backend", module.name, module.summary == nullptr ? "" : module.summary, module::table_of(module)};
}

// No backend of that name is not a failure: the vector stays as it was.
Result<void> add_backend(const std::string& name, const module::SearchPath& path, std::vector<NamedTable>& out) {
    for (const rl_backend_entry_fn entry : path.linked_backends) {
        if (entry()->name == name) out.push_back(named(*entry()));
    }
    if (!path.linked_backends.empty()) return {};
    const auto file = module::find_file(path.backends, "backend", name);
    if (!file) return {};
    auto loaded = module::load_backend_file(*file, name);
    if (!loaded) return loaded.error();
    out.push_back(named(*loaded->module));
    return {};
}

Result<void> add_selected(module::Kind kind, const std::string& name, const module::SearchPath& path,
                          std::vector<module::OptionTable>& tables) {
    if (!is_place(name)) return {};
    auto loaded = load_named(kind, name, path);
    if (!loaded) return loaded.error();
    tables.push_back(module::table_of(*loaded->plugin));
    return {};
}

}  // namespace

Result<module::SearchPath> search_path_of(const CommandLine& line, std::span<const rl_backend_entry_fn> linked_backends) {
    std::vector<std::string> directories;
    for (const Given& given : line.options) {
        if (given.spec->id != OptionId::plugin_path) continue;
        std::error_code error;
        if (!std::filesystem::is_directory(path_of(given.value), error)) {
            return wrong_value(
                given, "is not a folder that can be looked into; name the one that holds librl_KIND_NAME" + std::string(kModuleSuffix));
        }
        directories.push_back(given.value);
    }
    return module::make_search_path(directories, linked_backends);
}

Result<std::vector<NamedTable>> find_named(const std::string& name, const module::SearchPath& path) {
    std::vector<NamedTable> out;
    if (is_place(name)) return out;
    RL_TRY(add_backend(name, path, out));
    for (const module::Kind kind : kKinds) {
        if (!module::find_file(path.plugins, module::kind_name(kind), name)) continue;
        auto loaded = module::load_plugin(kind, name, path);
        if (!loaded) return loaded.error();
        const rl_plugin& plugin = *loaded->plugin;
        out.push_back(
            {std::string(module::kind_name(kind)), plugin.name, plugin.summary == nullptr ? "" : plugin.summary, module::table_of(plugin)});
    }
    return out;
}

std::string suggest_named(const std::string& name, const module::SearchPath& path) {
    std::vector<std::string> known = backend_names(path);
    for (const module::Kind kind : kKinds) {
        for (const auto& found : module::find_all(path.plugins, module::kind_name(kind))) known.push_back(found.name);
    }
    const std::string hint = did_you_mean(name, known, "");
    return hint.empty() ? "; ringload list shows what there is" : hint;
}

Result<std::vector<module::OptionTable>> tables_for(const CommandLine& line, const Selection& selected, const module::SearchPath& path) {
    std::vector<module::OptionTable> tables;
    RL_TRY(add_selected(module::Kind::source, selected.source, path, tables));
    RL_TRY(add_selected(module::Kind::pacer, selected.pacer, path, tables));
    RL_TRY(add_selected(module::Kind::reporter, selected.reporter, path, tables));
    for (const engine::OptionValue& given : line.plugin_options) {
        const std::string& owner = given.owner;
        if (std::any_of(tables.begin(), tables.end(), [&](const auto& table) { return table.owner == owner; })) continue;
        auto found = find_named(owner, path);
        if (!found) return found.error();
        for (const NamedTable& entry : *found) tables.push_back(entry.table);
        if (!found->empty()) continue;
        std::string text = "--" + owner + '.' + given.option + ": no plug-in or backend is called " + owner;
        return failure(Error::usage, text + suggest_named(owner, path));
    }
    return tables;
}

Result<LoadedPart> load_part(module::Kind kind, const std::string& name, const engine::RunSpec& spec, const module::SearchPath& path) {
    auto loaded = load_named(kind, name, path);
    if (!loaded) return loaded.error();
    auto options = module::bind_options(*loaded->plugin, spec.plugin_options);
    if (!options) return options.error();
    LoadedPart part{std::move(*loaded), std::move(*options), nullptr, nullptr};
    part.host = std::make_unique<module::HostTable>(part.plugin.plugin->name);
    return part;
}

Result<RunPlugins> load_plugins(const Plan& plan, const module::SearchPath& path) {
    const engine::RunSpec& spec = plan.spec;
    auto source = load_part(module::Kind::source, spec.source, spec, path);
    if (!source) return source.error();
    auto pacer = load_part(module::Kind::pacer, spec.pacer, spec, path);
    if (!pacer) return pacer.error();
    RunPlugins plugins{std::move(*source), std::move(*pacer), std::nullopt, {}};
    std::vector<std::string> owners = {plugins.source.plugin.plugin->name, plugins.pacer.plugin.plugin->name};
    if (plan.reporter != "quiet") {
        auto reporter = load_part(module::Kind::reporter, plan.reporter, spec, path);
        if (!reporter) return reporter.error();
        owners.emplace_back(reporter->plugin.plugin->name);
        plugins.reporter = std::move(*reporter);
    }
    for (const SideReport& side : plan.side_reports) {
        auto reporter = load_part(module::Kind::reporter, side.reporter, spec, path);
        if (!reporter) return reporter.error();
        owners.push_back(side.reporter);
        plugins.side.push_back(std::move(*reporter));
    }
    // With `auto` any backend may be the one, so options for each are in order.
    if (spec.backend == "auto") {
        for (std::string& name : backend_names(path)) owners.push_back(std::move(name));
    } else {
        owners.push_back(spec.backend);
    }
    RL_TRY(module::check_owners(spec.plugin_options, owners));
    return plugins;
}

Result<void> settle_pacing(Plan& plan, const rl_pacer_ops& pacer) {
    const bool unlimited = (pacer.flags & RL_PACER_UNLIMITED) != 0;
    if (plan.pacer_typed.empty()) return {};
    if (unlimited && !plan.rate_typed.empty()) {
        return failure(Error::usage, plan.rate_typed + " and " + plan.pacer_typed +
                                         ": that pacer sends as fast as it can, whatever the rate; leave one out");
    }
    if (!unlimited && plan.rate_typed.empty() && !plan.load_model_given) plan.spec.load_model = engine::LoadModel::scheduled;
    return {};
}

}  // namespace rl::cli
