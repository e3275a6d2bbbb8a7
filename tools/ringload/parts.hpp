// The plug-ins and the backend that a plan names: found, loaded, their options bound. Control thread.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/module/backend_loader.hpp"
#include "core/module/host_table.hpp"
#include "core/module/plugin_instance.hpp"
#include "core/module/plugin_loader.hpp"
#include "core/module/search_path.hpp"
#include "tools/ringload/cli.hpp"
#include "tools/ringload/plan.hpp"

namespace rl::cli {

// A plug-in before open(): open() borrows from all of it, so that it stays where it is.
struct LoadedPart {
    module::LoadedPlugin plugin;
    module::BoundOptions options;
    std::unique_ptr<module::HostTable> host;
    std::unique_ptr<module::OpenInfo> info;
};

struct RunPlugins {
    LoadedPart source, pacer;
    std::optional<LoadedPart> reporter;  // none: --output-format quiet
    std::vector<LoadedPart> side;        // in the order of Plan::side_reports
};

// Everything with a name of its own in one place: what --NAME.option and --help=NAME may name.
struct NamedTable {
    std::string kind, name, summary;
    module::OptionTable table;
};

// Where plug-ins and backends are looked for. A folder that --plugin-path names and that is not there is a failure: it would be passed
// over in silence.
Result<module::SearchPath> search_path_of(const CommandLine& line, std::span<const rl_backend_entry_fn> linked_backends);

// Whoever is called `name`: backends and plug-ins of any kind. Empty if there is none. A file that is found and does not load is a
// failure.
Result<std::vector<NamedTable>> find_named(const std::string& name, const module::SearchPath& path);
// "; did you mean ...?" among all names on the path, or where the names are listed.
std::string suggest_named(const std::string& name, const module::SearchPath& path);

// The tables of all owners that occur in --OWNER.option. `selected` are names or paths of the plug-ins that the run uses.
Result<std::vector<module::OptionTable>> tables_for(const CommandLine& line, const Selection& selected, const module::SearchPath& path);

Result<LoadedPart> load_part(module::Kind kind, const std::string& name, const engine::RunSpec& spec, const module::SearchPath& path);
// Loads and binds, and fails if an option is given for a plug-in or backend that the run does not use.
Result<RunPlugins> load_plugins(const Plan& plan, const module::SearchPath& path);

// What only the loaded pacer tells: fails if it would ignore the rate that was given, and settles the load model.
Result<void> settle_pacing(Plan& plan, const rl_pacer_ops& pacer);

}  // namespace rl::cli
