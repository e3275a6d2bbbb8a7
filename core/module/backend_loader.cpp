#include "core/module/backend_loader.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/base/dynlib.hpp"
#include "core/base/path.hpp"
#include "core/module/build_id.hpp"
#include "core/module/plugin_instance.hpp"

namespace rl::module {
namespace {

constexpr const char* kEntry = "rl_backend_entry";
constexpr std::string_view kLinkedIn = "linked in";

Failure refused(std::string_view where, std::string_view why) {
    return failure(Error::unavailable, "cannot load backend " + std::string(where) + ": " + std::string(why));
}

Failure other_build(std::string_view where, std::string_view theirs) {
    return refused(where, "it is of build \"" + std::string(theirs) +
                              "\" and this ringload of \"" RL_BUILD_ID "\"; rebuild both together, or reinstall");
}

struct Candidate {
    LoadedBackend backend;
    std::string problem;  // not empty: it could not be loaded
};

// Every backend that there is, each name once: the linked ones, or else the first file of each name. A file that is broken or of
// another build nobody asked for: it is kept with its problem.
Result<std::vector<Candidate>> candidates(const SearchPath& path) {
    std::vector<Candidate> all;
    for (const rl_backend_entry_fn entry : path.linked_backends) {
        const rl_backend_module* const module = entry();
        auto backend = check_backend(module, "", std::string(kLinkedIn), std::string(kLinkedIn));
        if (!backend) return std::move(backend).error();
        all.push_back({std::move(*backend), ""});
    }
    if (!path.linked_backends.empty()) return all;
    for (const FoundName& found : find_all(path.backends, "backend")) {
        if (found.shadowed) continue;
        auto backend = load_backend_file(found.file, found.name);
        if (backend) {
            all.push_back({std::move(*backend), ""});
        } else {
            all.push_back({{nullptr, found.file.path, found.file.origin}, found.name + " was passed over: " + backend.error().text});
        }
    }
    return all;
}

std::string names_of(const std::vector<Candidate>& all) {
    std::string list;
    for (const Candidate& one : all) {
        if (one.backend.module != nullptr) list.append(list.empty() ? "" : ", ").append(one.backend.module->name);
    }
    return list.empty() ? "none" : list;
}

// What lies there by name, loadable or not.
std::string names_found(const SearchPath& path) {
    std::string list;
    for (const FoundName& found : find_all(path.backends, "backend")) {
        if (!found.shadowed) list.append(list.empty() ? "" : ", ").append(found.name);
    }
    return list;
}

Failure nothing_found(std::string_view what, const SearchPath& path) {
    return failure(Error::unavailable, std::string(what) + " in " + describe(path.backends) +
                                           "; reinstall ringload, or name the directory in RINGLOAD_BACKEND_PATH");
}

Result<LoadedBackend> find_backend(std::string_view name, const SearchPath& path) {
    if (!path.linked_backends.empty()) {
        auto all = candidates(path);
        if (!all) return std::move(all).error();
        for (const Candidate& one : *all) {
            if (name == one.backend.module->name) return one.backend;
        }
        return failure(Error::usage, "there is no backend \"" + std::string(name) + "\" in this ringload; it has " + names_of(*all));
    }
    const auto file = find_file(path.backends, "backend", name);
    if (!file) {
        const std::string missing = "there is no backend \"" + std::string(name) + "\": no " + file_name("backend", name);
        const std::string others = names_found(path);
        if (others.empty()) return nothing_found(missing, path);
        return failure(Error::unavailable, missing + " in " + describe(path.backends) + "; this installation has " + others +
                                               ", or name the directory of another in RINGLOAD_BACKEND_PATH");
    }
    return load_backend_file(*file, is_place(name) ? "" : name);
}

// Binds and probes; a probe's failure becomes "NAME: reason".
Result<SelectedBackend> try_backend(const LoadedBackend& backend, std::span<const engine::OptionValue> given, bool& probed) {
    probed = false;
    auto options = bind_options(*backend.module, given);
    if (!options) return std::move(options).error();
    probed = true;
    auto caps = probe_backend(*backend.module, *options);
    if (!caps) return std::move(caps).error();
    SelectedBackend selected;
    selected.backend = backend;
    selected.options = std::move(*options);
    selected.caps = *caps;
    return selected;
}

Result<SelectedBackend> select_by_name(std::string_view name, std::span<const engine::OptionValue> given, const SearchPath& path) {
    auto backend = find_backend(name, path);
    if (!backend) return std::move(backend).error();
    bool probed = false;
    auto selected = try_backend(*backend, given, probed);
    if (selected || !probed) return selected;
    return failure(Error::unavailable, "backend " + std::string(backend->module->name) + " does not work here: " + selected.error().text +
                                           "; use --backend auto, or see `ringload list`");
}

Result<SelectedBackend> select_automatically(std::span<const engine::OptionValue> given, const SearchPath& path) {
    auto all = candidates(path);
    if (!all) return std::move(all).error();
    std::stable_sort(all->begin(), all->end(), [](const Candidate& a, const Candidate& b) {
        if (a.backend.module == nullptr || b.backend.module == nullptr) return a.backend.module == nullptr && b.backend.module != nullptr;
        return a.backend.module->priority > b.backend.module->priority;
    });
    std::vector<std::string> notes;
    std::optional<SelectedBackend> second_choice;
    for (const Candidate& one : *all) {
        if (one.backend.module == nullptr) {
            notes.push_back("backend " + one.problem);
            continue;
        }
        if (one.backend.module->priority < 0) continue;
        bool probed = false;
        auto selected = try_backend(one.backend, given, probed);
        if (!selected && !probed) return std::move(selected).error();
        const std::string passed_over = "backend " + std::string(one.backend.module->name) + " was passed over: ";
        if (!selected) {
            notes.push_back(passed_over + selected.error().text);
        } else if (selected->caps.second_choice[0] == '\0') {
            selected->notes = std::move(notes);
            return selected;
        } else {
            notes.push_back(passed_over + selected->caps.second_choice);
            if (!second_choice) second_choice = std::move(*selected);
        }
    }
    if (second_choice) return std::move(*second_choice);
    if (notes.empty()) return nothing_found("there is no backend: no " + file_name("backend", "NAME"), path);
    std::string reasons;
    for (const std::string& note : notes) reasons.append(reasons.empty() ? "" : "; ").append(note);
    return failure(Error::unavailable, "no backend works here: " + reasons);
}

}  // namespace

Result<LoadedBackend> check_backend(const rl_backend_module* module, std::string_view name, std::string where, std::string origin) {
    if (module == nullptr || module->magic != RL_BACKEND_MAGIC) {
        return refused(where, "it is no backend module of ringload; remove it, or reinstall");
    }
    // WHY no field behind size is trusted yet: a module of another build may lay them out in another way.
    if (module->size != sizeof(rl_backend_module)) return other_build(where, "of another layout");
    if (module->build_id == nullptr || std::string_view(module->build_id) != RL_BUILD_ID) {
        return other_build(where, module->build_id == nullptr ? "unnamed" : module->build_id);
    }
    if (module->name == nullptr || module->summary == nullptr || module->probe == nullptr || module->run_worker == nullptr) {
        return refused(where, "its module has NULL for name, summary, probe or run_worker; rebuild it");
    }
    if (!name.empty() && name != module->name) {
        return refused(where,
                       "its name promises backend \"" + std::string(name) + "\" and it holds \"" + module->name + "\"; rename the file");
    }
    if (auto table = check_table(table_of(*module)); !table) return refused(where, table.error().text);
    return LoadedBackend{module, std::move(where), std::move(origin)};
}

Result<LoadedBackend> load_backend_file(const FoundFile& file, std::string_view name) {
    auto library = Dynlib::open(file.path);
    if (!library) return refused(file.path, library.error().text);
    const auto entry = reinterpret_cast<rl_backend_entry_fn>(library->symbol(kEntry));
    if (entry == nullptr) return refused(file.path, "it does not export rl_backend_entry(); remove it, or reinstall");
    return check_backend(entry(), name, file.path, file.origin);
}

Result<rl_backend_caps> probe_backend(const rl_backend_module& module, const BoundOptions& options, Detail detail) {
    constexpr std::string_view kWanted = "?";  // and left so by a backend that has nothing to tell
    rl_backend_caps caps{};
    if (detail == Detail::features) kWanted.copy(caps.features, kWanted.size());
    rl_error error = empty_error();
    if (module.probe(options.data(), &caps, &error) != 0) return failure(Error::unavailable, error_text(error));
    caps.switches[sizeof caps.switches - 1] = '\0';
    caps.downgrade[sizeof caps.downgrade - 1] = '\0';
    caps.second_choice[sizeof caps.second_choice - 1] = '\0';
    caps.features[sizeof caps.features - 1] = '\0';
    if (caps.features == kWanted) caps.features[0] = '\0';
    return caps;
}

Result<SelectedBackend> select_backend(std::string_view name_or_auto, std::span<const engine::OptionValue> given, const SearchPath& path) {
    return name_or_auto == "auto" ? select_automatically(given, path) : select_by_name(name_or_auto, given, path);
}

}  // namespace rl::module
