#include "core/module/registry.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "core/module/backend_loader.hpp"
#include "core/module/plugin_loader.hpp"

namespace rl::module {
namespace {

void describe_backend(Listing& entry, const rl_backend_module& module, std::span<const engine::OptionValue> given) {
    entry.name = module.name;
    entry.summary = module.summary;
    entry.priority = module.priority;
    auto options = bind_options(module, given);
    auto caps = options ? probe_backend(module, *options, Detail::features) : Result<rl_backend_caps>(options.error());
    entry.usable = static_cast<bool>(caps);
    if (!caps) {
        entry.problem = caps.error().text;
        return;
    }
    entry.switches = caps->switches;
    entry.downgrade = caps->downgrade;
    entry.features = caps->features;
}

void list_backends(const SearchPath& path, std::span<const engine::OptionValue> given, std::vector<Listing>& out) {
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    for (const rl_backend_entry_fn make : path.linked_backends) {
        Listing& entry = out.emplace_back();
        entry.kind = "backend";
        entry.path = entry.origin = "linked in";
        auto backend = check_backend(make(), "", entry.path, entry.origin);
        if (backend) {
            describe_backend(entry, *backend->module, given);
        } else {
            entry.problem = backend.error().text;
        }
    }
    const std::vector<FoundName> files = path.linked_backends.empty() ? find_all(path.backends, "backend") : std::vector<FoundName>{};
    for (const FoundName& found : files) {
        Listing& entry = out.emplace_back();
        entry.kind = "backend";
        entry.name = found.name;
        entry.path = found.file.path;
        entry.origin = found.file.origin;
        entry.shadowed = found.shadowed;
        auto backend = load_backend_file(found.file, found.name);
        if (backend) {
            describe_backend(entry, *backend->module, given);
        } else {
            entry.problem = backend.error().text;
        }
    }
    std::stable_sort(out.begin() + first, out.end(), [](const Listing& a, const Listing& b) { return a.priority > b.priority; });
}

void list_plugins(Kind kind, const SearchPath& path, std::vector<Listing>& out) {
    const auto first = static_cast<std::ptrdiff_t>(out.size());
    for (const FoundName& found : find_all(path.plugins, kind_name(kind))) {
        Listing& entry = out.emplace_back();
        entry.kind = kind_name(kind);
        entry.name = found.name;
        entry.path = found.file.path;
        entry.origin = found.file.origin;
        entry.shadowed = found.shadowed;
        SearchPath only;  // so that this file is judged by the rule of a search by name, also where an earlier one shadows it
        only.plugins.push_back({found.file.path.substr(0, found.file.path.rfind('/')), found.file.origin});
        auto loaded = load_plugin(kind, found.name, only);
        if (!loaded) {
            entry.problem = loaded.error().text;
            continue;
        }
        entry.usable = true;
        entry.plugin = loaded->plugin;
        entry.version = loaded->plugin->version;
        entry.summary = loaded->plugin->summary;
    }
    std::stable_sort(out.begin() + first, out.end(), [](const Listing& a, const Listing& b) { return a.name < b.name; });
}

}  // namespace

std::vector<Listing> list_all(const SearchPath& path, std::span<const engine::OptionValue> given) {
    std::vector<Listing> all;
    list_backends(path, given, all);
    for (const Kind kind : {Kind::source, Kind::pacer, Kind::reporter}) list_plugins(kind, path, all);
    return all;
}

}  // namespace rl::module
