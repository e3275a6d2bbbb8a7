// Finds backend modules, refuses those of another build, asks each whether it works here, and picks one. Control thread only.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/module/backend_abi.h"
#include "core/module/option_binding.hpp"
#include "core/module/search_path.hpp"

namespace rl::module {

struct LoadedBackend {
    const rl_backend_module* module = nullptr;  // BORROWS: from the module, which stays mapped until the process ends
    std::string path;                           // "linked in" for a static build
    std::string origin;
};

struct SelectedBackend {
    LoadedBackend backend;
    BoundOptions options;
    rl_backend_caps caps{};
    std::vector<std::string> notes;  // for "auto": why each better backend was passed over; whole sentences

    const rl_backend_module& module() const noexcept { return *backend.module; }
};

// A name, a path (with a slash), or "auto": the highest priority whose probe passes, of those at or above 0. A module that is
// broken or of another build is refused if it is named, and passed over with a note under "auto".
Result<SelectedBackend> select_backend(std::string_view name_or_auto, std::span<const engine::OptionValue> given, const SearchPath& path);

// One file, checked but not probed.
Result<LoadedBackend> load_backend_file(const FoundFile& file, std::string_view name);
// The same checks for a module that is already in memory; `where` is named in refusals.
Result<LoadedBackend> check_backend(const rl_backend_module* module, std::string_view name, std::string where, std::string origin);
// Runs the probe. The failure's text is the module's own sentence.
enum class Detail : uint8_t { brief, features };
Result<rl_backend_caps> probe_backend(const rl_backend_module& module, const BoundOptions& options, Detail detail = Detail::brief);

}  // namespace rl::module
