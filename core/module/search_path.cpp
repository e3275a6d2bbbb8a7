#include "core/module/search_path.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>

#include "core/base/dynlib.hpp"
#include "core/base/path.hpp"
#include "core/base/process.hpp"
#include "core/module/build_paths.hpp"

namespace rl::module {
namespace {

namespace stdfs = std::filesystem;

void add(std::vector<Place>& places, std::string directory, std::string origin) {
    if (!directory.empty()) places.push_back({std::move(directory), std::move(origin)});
}

void add_from_environment(std::vector<Place>& places, const char* variable) {
    const auto value = environment(variable);
    if (!value) return;
    std::string_view rest = *value;
    while (!rest.empty()) {
        const size_t end = std::min(rest.find(kListSeparator), rest.size());
        add(places, std::string(rest.substr(0, end)), variable);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

// The directory LIBDIR/ringload/LEAF that belongs to the running program, wherever its tree was moved to; "" if it cannot be told.
std::string beside_program(const char* leaf) {
    const std::string program = program_path();
    if (program.empty()) return {};
    return text_of((path_of(program).parent_path() / RL_LIBDIR_FROM_BINDIR / "ringload" / leaf).lexically_normal());
}

void add_installed(std::vector<Place>& places, const char* leaf) {
    const std::string beside = beside_program(leaf);
    const std::string installed = text_of((stdfs::path(RL_LIBDIR) / "ringload" / leaf).make_preferred());
    add(places, beside, "beside the program");
    if (installed != beside) add(places, installed, "installed");
}

bool exists(const std::string& path) {
    std::error_code error;
    return stdfs::exists(path_of(path), error);
}

}  // namespace

std::string_view kind_name(Kind kind) noexcept {
    switch (kind) {
        case Kind::source:
            return "source";
        case Kind::pacer:
            return "pacer";
        case Kind::reporter:
            return "reporter";
    }
    return "plug-in";
}

SearchPath make_search_path(std::span<const std::string> plugin_directories, std::span<const rl_backend_entry_fn> linked_backends) {
    SearchPath path;
    for (const std::string& directory : plugin_directories) add(path.plugins, directory, "--plugin-path");
    add_from_environment(path.plugins, "RINGLOAD_PLUGIN_PATH");
    add_installed(path.plugins, "plugins");
    add_from_environment(path.backends, "RINGLOAD_BACKEND_PATH");
    add_installed(path.backends, "backends");
    path.linked_backends = linked_backends;
    return path;
}

std::string file_name(std::string_view stem, std::string_view name) {
    std::string file = "librl_";
    file.append(stem).append("_").append(name).append(kModuleSuffix);
    return file;
}

std::optional<FoundFile> find_file(std::span<const Place> places, std::string_view stem, std::string_view name) {
    if (is_place(name)) return FoundFile{std::string(name), "given as a path"};
    const std::string file = file_name(stem, name);
    for (const Place& place : places) {
        std::string path = place.directory + "/" + file;
        if (exists(path)) return FoundFile{std::move(path), place.origin};
    }
    return std::nullopt;
}

std::vector<FoundName> find_all(std::span<const Place> places, std::string_view stem) {
    std::vector<FoundName> found;
    std::set<std::string> seen;
    const std::string prefix = "librl_" + std::string(stem) + "_";
    for (const Place& place : places) {
        std::vector<std::string> names;
        std::error_code error;
        for (stdfs::directory_iterator it(path_of(place.directory), error), end; !error && it != end; it.increment(error)) {
            const std::string file = text_of(it->path().filename());
            if (file.size() <= prefix.size() + kModuleSuffix.size() || !file.starts_with(prefix) || !file.ends_with(kModuleSuffix))
                continue;
            names.push_back(file.substr(prefix.size(), file.size() - prefix.size() - kModuleSuffix.size()));
        }
        std::sort(names.begin(), names.end());
        for (std::string& name : names) {
            FoundFile file{place.directory + "/" + file_name(stem, name), place.origin};
            const bool first = seen.insert(name).second;
            found.push_back({std::move(name), std::move(file), !first});
        }
    }
    return found;
}

std::string describe(std::span<const Place> places) {
    std::string text;
    for (const Place& place : places) text.append(text.empty() ? "" : ", ").append(place.directory);
    return text;
}

}  // namespace rl::module
