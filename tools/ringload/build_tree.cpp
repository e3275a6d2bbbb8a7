// Meson leaves a folder of its own at the top of each build tree.
#include "tools/ringload/build_tree.hpp"

#include <filesystem>
#include <system_error>

#include "core/base/path.hpp"

namespace rl::cli {

std::string build_tree_hint(const std::string& program) {
    std::filesystem::path folder = path_of(program).parent_path();
    for (; !folder.empty() && folder != folder.root_path(); folder = folder.parent_path()) {
        std::error_code error;
        if (!std::filesystem::is_directory(folder / "meson-private", error)) continue;
        return "; as this program lies in a build tree, run it in the shell of meson devenv -C " + text_of(folder) +
               ", or set RINGLOAD_PLUGIN_PATH and RINGLOAD_BACKEND_PATH";
    }
    return "";
}

}  // namespace rl::cli
