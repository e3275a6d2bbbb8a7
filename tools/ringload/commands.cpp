// Words of the command line; nothing is looked up.
#include "tools/ringload/commands.hpp"

#include <algorithm>

#include "tools/ringload/nearest.hpp"
#include "tools/ringload/option_table.hpp"

namespace rl::cli {

std::vector<std::string> without_help_command(std::vector<std::string> words) {
    if (words.empty() || words[0] != "help") return words;
    words.erase(words.begin());
    if (words.empty() || words[0].starts_with('-')) {
        words.insert(words.begin(), "--help");
    } else if (words[0] == "serve" || words[0] == "list") {
        words.insert(words.begin() + 1, "--help");
    } else {
        words[0] = words[0] == "run" || words[0] == "help" ? "--help" : "--help=" + words[0];
    }
    return words;
}

std::string command_hint(const std::string& url) {
    const bool bare = std::all_of(url.begin(), url.end(), [](char c) { return c >= 'a' && c <= 'z'; });
    if (!bare) return "";
    std::vector<std::string> names;
    for (const CommandSpec& command : command_table()) names.emplace_back(command.name);
    const std::string hint = did_you_mean(url, names, "the command ");
    return hint.empty() ? "" : ", or " + hint.substr(2);
}

}  // namespace rl::cli
