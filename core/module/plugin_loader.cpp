#include "core/module/plugin_loader.hpp"

#include <utility>

#include "core/base/assert.hpp"
#include "core/base/dynlib.hpp"
#include "core/base/path.hpp"
#include "core/module/plugin_check.hpp"

namespace rl::module {
namespace {

constexpr uint32_t kPluginsMax = 64;  // an enumeration that goes on past this never ends
constexpr const char* kEntry = "ringload_plugin_v1";
using EntryFn = const rl_plugin* (*)(uint32_t index);

std::string title(uint32_t kind, std::string_view name) {
    return std::string(kind_name(static_cast<Kind>(kind))) + " \"" + std::string(name) + '"';
}

Failure refused(const FoundFile& file, std::string_view why) {
    return failure(Error::plugin, "cannot load plug-in " + file.path + ": " + std::string(why));
}

Failure not_found(Kind kind, std::string_view name, const SearchPath& path) {
    const std::string file = file_name(kind_name(kind), name);
    return failure(Error::usage, "there is no " + title(static_cast<uint32_t>(kind), name) + ": no " + file + " in " +
                                     describe(path.plugins) + "; see `ringload list`, or name its directory with --plugin-path");
}

std::string titles(const std::vector<LoadedPlugin>& plugins) {
    std::string list;
    for (const LoadedPlugin& one : plugins) {
        list.append(list.empty() ? "" : ", ").append(title(one.plugin->kind, one.plugin->name));
    }
    return list;
}

const void* checked_ops(const rl_plugin* plugin, uint32_t kind) {
    RL_ASSERT(plugin != nullptr && plugin->kind == kind);
    return plugin->ops;
}

}  // namespace

const rl_source_ops& LoadedPlugin::source() const { return *static_cast<const rl_source_ops*>(checked_ops(plugin, RL_KIND_SOURCE)); }
const rl_pacer_ops& LoadedPlugin::pacer() const { return *static_cast<const rl_pacer_ops*>(checked_ops(plugin, RL_KIND_PACER)); }
const rl_reporter_ops& LoadedPlugin::reporter() const {
    return *static_cast<const rl_reporter_ops*>(checked_ops(plugin, RL_KIND_REPORTER));
}

Result<std::vector<LoadedPlugin>> load_plugin_file(const FoundFile& file) {
    auto library = Dynlib::open(file.path);
    if (!library) return refused(file, library.error().text);
    const auto entry = reinterpret_cast<EntryFn>(library->symbol(kEntry));
    if (entry == nullptr) {
        return refused(file, std::string("it does not export ") + kEntry + "(); it is no plug-in for ringload of plug-in ABI " +
                                 std::to_string(RL_ABI_MAJOR));
    }
    std::vector<LoadedPlugin> plugins;
    for (uint32_t index = 0; const rl_plugin* plugin = entry(index); ++index) {
        if (index == kPluginsMax) return refused(file, "its enumeration of plug-ins does not end; report it to the author of the plug-in");
        if (auto fit = check_descriptor(*plugin); !fit) return refused(file, fit.error().text);
        for (const LoadedPlugin& earlier : plugins) {
            if (earlier.plugin->kind != plugin->kind || std::string_view(earlier.plugin->name) != plugin->name) continue;
            return refused(file, "it holds " + title(plugin->kind, plugin->name) + " twice; report it to the author of the plug-in");
        }
        plugins.push_back({plugin, file.path, file.origin, library->handle()});
    }
    if (plugins.empty()) return refused(file, "it holds no plug-in; report it to the author of the plug-in");
    return plugins;
}

Result<void> check_file_name(const std::string& path, const std::vector<LoadedPlugin>& plugins) {
    const std::string file = text_of(path_of(path).filename());
    for (const Kind kind : {Kind::source, Kind::pacer, Kind::reporter}) {
        const std::string prefix = "librl_" + std::string(kind_name(kind)) + "_";
        if (!file.starts_with(prefix) || !file.ends_with(kModuleSuffix)) continue;
        const std::string name = file.substr(prefix.size(), file.size() - prefix.size() - kModuleSuffix.size());
        for (const LoadedPlugin& one : plugins) {
            if (one.plugin->kind == static_cast<uint32_t>(kind) && name == one.plugin->name) return {};
        }
        return failure(Error::plugin, "its name promises " + title(static_cast<uint32_t>(kind), name) + " and it holds " + titles(plugins) +
                                          "; rename the file, or the plug-in in it");
    }
    return {};
}

Result<LoadedPlugin> load_plugin(Kind kind, std::string_view name, const SearchPath& path) {
    const auto file = find_file(path.plugins, kind_name(kind), name);
    if (!file) return not_found(kind, name, path);
    auto plugins = load_plugin_file(*file);
    if (!plugins) return std::move(plugins).error();
    const bool by_path = is_place(name);
    for (const LoadedPlugin& one : *plugins) {
        if (one.plugin->kind == static_cast<uint32_t>(kind) && (by_path || name == one.plugin->name)) return one;
    }
    if (by_path) return refused(*file, "it holds no " + std::string(kind_name(kind)) + ", only " + titles(*plugins));
    return refused(*file, "its name promises " + title(static_cast<uint32_t>(kind), name) + " and it holds " + titles(*plugins) +
                              "; rename the file, or ask for it by its path");
}

}  // namespace rl::module
