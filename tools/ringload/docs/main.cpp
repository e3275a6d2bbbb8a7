// ringload-docgen KIND: prints one kind of documentation. Run by the build.
#include <cstdio>
#include <string>
#include <string_view>

#include "tools/ringload/docs/docgen.hpp"

int main(int argc, char** argv) {
    const std::string_view kind = argc == 2 ? argv[1] : "";
    std::string text;
    if (kind == "man") text = rl::cli::man_page();
    if (kind == "bash") text = rl::cli::bash_completion();
    if (kind == "zsh") text = rl::cli::zsh_completion();
    if (kind == "fish") text = rl::cli::fish_completion();
    if (text.empty()) {
        std::fputs("usage: ringload-docgen man|bash|zsh|fish\n", stderr);
        return 2;
    }
    const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
    return written ? 0 : 1;
}
