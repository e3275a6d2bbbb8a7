// Completions for bash, zsh and fish. Each offers every name of every option and knows which values are files, folders or words.
#include "tools/ringload/docs/docgen.hpp"
#include "tools/ringload/option_table.hpp"

namespace rl::cli {
namespace {

std::vector<std::string> flags_of(const OptionSpec& spec) {
    std::vector<std::string> flags;
    if (spec.short_name != 0) flags.push_back(std::string("-") + spec.short_name);
    if (!spec.name.empty()) flags.push_back("--" + std::string(spec.name));
    for (const std::string_view alias : words(spec.aliases)) flags.push_back((alias.size() == 1 ? "-" : "--") + std::string(alias));
    return flags;
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
    std::string out;
    for (const std::string& part : parts) out += (out.empty() ? "" : std::string(between)) + part;
    return out;
}

// Backslash in front of each octet of `special`.
std::string guarded(std::string_view text, std::string_view special) {
    std::string out;
    for (const char c : text) {
        if (special.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

// For text between single quotes of a POSIX shell.
std::string unquoted(std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '\'' ? "'\\''" : std::string(1, c);
    return out;
}

bool takes_value(const OptionSpec& spec) { return spec.type != ValueType::none && spec.type != ValueType::optional; }

std::string command_names() {
    std::vector<std::string> names;
    for (const CommandSpec& command : command_table()) names.emplace_back(command.name);
    return joined(names, " ");
}

std::string bash_case(const OptionSpec& spec) {
    const std::string labels = joined(flags_of(spec), "|");
    std::string action = ":";
    if (spec.type == ValueType::file) action = "COMPREPLY=($(compgen -f -- \"$cur\"))";
    if (spec.type == ValueType::directory) action = "COMPREPLY=($(compgen -d -- \"$cur\"))";
    if (!spec.choices.empty()) action = "COMPREPLY=($(compgen -W '" + std::string(spec.choices) + "' -- \"$cur\"))";
    return "        " + labels + ") " + action + "; return ;;\n";
}

}  // namespace

std::string bash_completion() {
    std::string names;
    std::string cases;
    for (const OptionSpec& spec : option_table()) {
        if (spec.shown == Shown::hidden) continue;
        names += (names.empty() ? "" : " ") + joined(flags_of(spec), " ");
        if (takes_value(spec)) cases += bash_case(spec);
    }
    return "# bash completion for ringload\n"
           "_ringload() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
           "    COMPREPLY=()\n"
           "    # bash parts words at an equals sign: --option = value.\n"
           "    if [[ $cur == = ]]; then cur=; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "    case $prev in\n" +
           cases +
           "    esac\n"
           "    if [[ $cur == -* ]]; then\n"
           "        COMPREPLY=($(compgen -W '" +
           names +
           "' -- \"$cur\"))\n"
           "    elif (( COMP_CWORD == 1 )); then\n"
           "        COMPREPLY=($(compgen -W '" +
           command_names() +
           "' -- \"$cur\"))\n"
           "    fi\n"
           "}\n"
           "complete -F _ringload ringload\n";
}

std::string zsh_completion() {
    std::string out = "#compdef ringload\n\n_arguments -s -S \\\n";
    for (const OptionSpec& spec : option_table()) {
        if (spec.shown == Shown::hidden) continue;
        const auto flags = flags_of(spec);
        std::string value;
        if (takes_value(spec)) {
            value = ":" + guarded(unquoted(spec.metavar), ":[]") + ":";
            if (spec.type == ValueType::file) value += "_files";
            if (spec.type == ValueType::directory) value += "_files -/";
            if (!spec.choices.empty()) value += "(" + std::string(spec.choices) + ")";
        }
        const bool repeats = spec.id == OptionId::header || spec.id == OptionId::data || spec.id == OptionId::plugin_path;
        for (const std::string& flag : flags) {
            const std::string suffix = !takes_value(spec) ? "" : flag.starts_with("--") ? "=" : "+";
            const std::string prefix = repeats ? "*" : "(" + joined(flags, " ") + ")";
            out += "  '" + prefix + flag + suffix + "[" + guarded(unquoted(spec.help), ":[]") + "]" + value + "' \\\n";
        }
    }
    return out + "  '1:command or URL:(" + command_names() + ")' \\\n  '*:URL:_urls'\n";
}

std::string fish_completion() {
    std::string out = "# fish completion for ringload\ncomplete -c ringload -f\n";
    for (const CommandSpec& command : command_table()) {
        out += "complete -c ringload -n __fish_is_first_token -a " + std::string(command.name) + " -d '" + guarded(command.help, "'\\") +
               "'\n";
    }
    for (const OptionSpec& spec : option_table()) {
        if (spec.shown == Shown::hidden) continue;
        std::string line = "complete -c ringload";
        for (const std::string& flag : flags_of(spec)) line += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
        if (takes_value(spec)) {
            if (spec.type == ValueType::file) line += " -r -F";
            if (spec.type == ValueType::directory) line += " -x -a '(__fish_complete_directories)'";
            if (!spec.choices.empty()) line += " -x -a '" + std::string(spec.choices) + "'";
            if (spec.type != ValueType::file && spec.type != ValueType::directory && spec.choices.empty()) line += " -x";
        }
        out += line + " -d '" + guarded(spec.help, "'\\") + "'\n";
    }
    return out;
}

}  // namespace rl::cli
