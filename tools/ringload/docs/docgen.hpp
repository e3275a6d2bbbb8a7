// Documentation made from the option table at build time: the manual page and the shell completions. Never part of the program.
#pragma once

#include <string>

namespace rl::cli {

std::string man_page();         // mdoc(7)
std::string report_sections();  // the part of it that tells what a report means
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace rl::cli
