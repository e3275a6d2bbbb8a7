// The first word where it is a command, or should have been one.
#pragma once

#include <string>
#include <vector>

namespace rl::cli {

// "help" is another way to write --help: "help serve" becomes "serve --help", "help NAME" becomes "--help=NAME". Other words stay.
std::vector<std::string> without_help_command(std::vector<std::string> words);

// ", or did you mean the command serve?" if `url` is one bare word that is nearly a command; else "".
std::string command_hint(const std::string& url);

}  // namespace rl::cli
