// Loads one plug-in and checks every table that it brings, before anything of it is used. Control thread only.
//
// A loaded object stays mapped until the process ends (its functions may be running or registered anywhere), so that a LoadedPlugin
// is a plain value. Loading runs the object's own initialisers and ringload_plugin_v1(), nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/module/search_path.hpp"
#include "ringload/plugin.h"

namespace rl::module {

struct LoadedPlugin {
    const rl_plugin* plugin = nullptr;  // BORROWS: from the object, for the life of the process
    std::string path, origin;
    void* handle = nullptr;  // as dlopen() gave it

    // The table of the plug-in's kind; asking for another kind's is a programmer error.
    const rl_source_ops& source() const;
    const rl_pacer_ops& pacer() const;
    const rl_reporter_ops& reporter() const;
};

// By name: the file is found on the path and must hold a plug-in of that kind and name. By path (a name with a slash): the first
// plug-in of that kind in the file. Refusals are one sentence: the file, both versions where versions differ, and the remedy.
Result<LoadedPlugin> load_plugin(Kind kind, std::string_view name, const SearchPath& path);

// Fails if the file is called librl_KIND_NAME.so and holds no plug-in of that kind and name: it could not be loaded by its name.
Result<void> check_file_name(const std::string& path, const std::vector<LoadedPlugin>& plugins);

// Everything that one file holds, each checked; for `ringload list` and rl-plugin-check. Never empty.
Result<std::vector<LoadedPlugin>> load_plugin_file(const FoundFile& file);

}  // namespace rl::module
