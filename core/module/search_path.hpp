// Where modules and plug-ins are looked for, and the rule by which one file is chosen. Control thread only; no state is kept.
//
// A plug-in is librl_KIND_NAME.so (.dll on Windows), a backend module librl_backend_NAME.so. A name with a slash is a path and is not
// searched for.
// The first file found wins; if it then fails to load, the search is over. The current directory and the build tree are never tried.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/module/backend_abi.h"

namespace rl::module {

enum class Kind : uint32_t { source = RL_KIND_SOURCE, pacer = RL_KIND_PACER, reporter = RL_KIND_REPORTER };

std::string_view kind_name(Kind kind) noexcept;  // "source"

struct Place {
    std::string directory;
    std::string origin;  // for people: "--plugin-path", "RINGLOAD_PLUGIN_PATH", "beside the program", "installed"
};

struct SearchPath {
    std::vector<Place> plugins, backends;  // in the order of search
    // Backends that are linked into the program (-Dbackends_linkage=static). If there are any, no backend file is searched for.
    std::span<const rl_backend_entry_fn> linked_backends;
};

// Plug-ins: the given directories, RINGLOAD_PLUGIN_PATH (parted by colons, on Windows by semicolons), ../LIBDIR/ringload/plugins from the program's own
// directory, the configured directory. Backends: RINGLOAD_BACKEND_PATH, then the same two with .../backends.
SearchPath make_search_path(std::span<const std::string> plugin_directories, std::span<const rl_backend_entry_fn> linked_backends = {});

struct FoundFile {
    std::string path;
    std::string origin;  // of its Place; "given as a path" for a name with a slash
};

// "librl_source_NAME.so"; stem is a kind_name() or "backend".
std::string file_name(std::string_view stem, std::string_view name);

// The file that stands for this name, or nothing. A name with a slash is taken as it is, whether it exists or not.
std::optional<FoundFile> find_file(std::span<const Place> places, std::string_view stem, std::string_view name);

struct FoundName {
    std::string name;
    FoundFile file;
    bool shadowed = false;  // an earlier place has a file of the same name
};
// All files of that stem in all places: in the order of the places, by name within each.
std::vector<FoundName> find_all(std::span<const Place> places, std::string_view stem);

// "a, b, c" of the directories, for messages about what was not found.
std::string describe(std::span<const Place> places);

}  // namespace rl::module
