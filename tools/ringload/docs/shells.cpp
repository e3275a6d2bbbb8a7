// Completions for bash, zsh and fish. Each offers every name of every option of the command at hand and knows which values are files,
// folders or words. Names of plug-ins and backends are those that `ringload list` names when they are asked for.
#include "tools/ringload/docs/docgen.hpp"
#include "tools/ringload/option_table.hpp"
#include "tools/serve/option_rows.hpp"

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

// The heading of `ringload list` under which the names for this option stand; "" if it takes none.
std::string_view listed_under(const OptionSpec& spec) {
    switch (spec.id) {
        case OptionId::backend:
            return "Backends";
        case OptionId::source:
            return "Sources";
        case OptionId::pacer:
            return "Pacers";
        case OptionId::reporter:
        case OptionId::output_format:
            return "Reporters";
        case OptionId::help:
            return ".";  // of every kind
        default:
            return "";
    }
}

// Behind the program: prints the names under the heading that begins with $1.
constexpr std::string_view kNamesScript =
    R"(list 2>/dev/null | awk -v want="$1" '/^[^ ]/ { on = $0 ~ "^" want } on && /^  [a-z0-9_]/ && !/^  none found$/ { print $1 }')";

std::string serve_names() {
    std::string names = "--help";
    for (const serve::OptionRow& row : serve::kOptionRows) names += " --" + std::string(row.name);
    return names;
}

bool serve_takes_word(const serve::OptionRow& row) { return !row.metavar.empty() && !row.metavar.starts_with('['); }

std::string bash_case(const OptionSpec& spec) {
    const std::string labels = joined(flags_of(spec), "|");
    std::string offered = "'" + std::string(spec.choices) + "'";
    if (!listed_under(spec).empty())
        offered = "\"" + std::string(spec.choices) + " $(_ringload_listed " + std::string(listed_under(spec)) + ")\"";
    std::string action = ":";
    if (spec.type == ValueType::file) action = "COMPREPLY=($(compgen -f -- \"$cur\"))";
    if (spec.type == ValueType::directory) action = "COMPREPLY=($(compgen -d -- \"$cur\"))";
    if (offered != "''") action = "COMPREPLY=($(compgen -W " + offered + " -- \"$cur\"))";
    if (spec.type == ValueType::optional) return "        " + labels + ") if [[ $attached ]]; then " + action + "; return; fi ;;\n";
    return "        " + labels + ") " + action + "; return ;;\n";
}

// What stands behind a command other than run.
std::string bash_commands() {
    std::string values;
    for (const serve::OptionRow& row : serve::kOptionRows) {
        if (serve_takes_word(row)) values += (values.empty() ? "--" : "|--") + std::string(row.name);
    }
    std::string groups;
    for (const GroupSpec& group : group_table()) groups += " " + std::string(group.name);
    return "    (( COMP_CWORD > 1 )) && case ${COMP_WORDS[1]} in\n"
           "        serve)\n"
           "            case $prev in " +
           values + ") return ;; esac\n            COMPREPLY=($(compgen -W '" + serve_names() +
           "' -- \"$cur\"))\n            return ;;\n"
           "        list)\n"
           "            if [[ $prev == --plugin-path ]]; then COMPREPLY=($(compgen -d -- \"$cur\")); return; fi\n"
           "            COMPREPLY=($(compgen -W 'backends plugins --plugin-path --help' -- \"$cur\"))\n            return ;;\n"
           "        help)\n            COMPREPLY=($(compgen -W \"" +
           command_names() + " all" + groups + " $(_ringload_listed .)\" -- \"$cur\"))\n            return ;;\n    esac\n";
}

}  // namespace

std::string bash_completion() {
    std::string names;
    std::string cases;
    for (const OptionSpec& spec : option_table()) {
        if (spec.shown == Shown::hidden) continue;
        names += (names.empty() ? "" : " ") + joined(flags_of(spec), " ");
        if (spec.type != ValueType::none) cases += bash_case(spec);
    }
    return "# bash completion for ringload\n"
           "_ringload_listed() { \"${COMP_WORDS[0]}\" " +
           std::string(kNamesScript) +
           "; }\n"
           "_ringload() {\n"
           "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} attached=\n"
           "    COMPREPLY=()\n"
           "    # bash parts words at an equals sign: --option = value.\n"
           "    if [[ $cur == = ]]; then cur= attached=1; elif [[ $prev == = ]]; then prev=${COMP_WORDS[COMP_CWORD-2]} attached=1; fi\n" +
           bash_commands() + "    case $prev in\n" + cases +
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

namespace {

// Braces: an action in them is called without arguments of zsh's own.
std::string zsh_names(const OptionSpec& spec) {
    const std::string fixed = spec.choices.empty() ? "" : "compadd " + std::string(spec.choices) + "; ";
    return "{ " + fixed + "_ringload_listed " + std::string(listed_under(spec)) + " }";
}

}  // namespace

std::string zsh_completion() {
    std::string out =
        "#compdef ringload\n\n"
        "local program=$words[1]\n"
        "_ringload_listed() { local -a names; names=(${(f)\"$(_ringload_names $1)\"}); compadd -a names }\n"
        "_ringload_names() { $program " +
        std::string(kNamesScript) +
        " }\n"
        "if (( CURRENT > 2 )) && [[ $words[2] == (serve|list|help) ]]; then\n"
        "  local command=$words[2]\n"
        "  shift words; (( CURRENT-- ))\n"
        "  case $command in\n"
        "    serve) _arguments -S '--help[what it can do]' \\\n";
    for (const serve::OptionRow& row : serve::kOptionRows) {
        const std::string value = serve_takes_word(row) ? ":" + guarded(unquoted(row.metavar), ":[]") + ":" : "";
        const std::string suffix = serve_takes_word(row) ? "=" : row.metavar.empty() ? "" : "=-";
        const std::string optional = row.metavar.starts_with('[') ? "::value:" : value;
        out += "      '--" + std::string(row.name) + suffix + "[" + guarded(unquoted(row.help), ":[]") + "]" + optional + "' \\\n";
    }
    out +=
        "      ;;\n"
        "    list) _arguments -S '--help[what it shows]' '*--plugin-path=[look for plug-ins here first]:DIR:_files -/' '1:kind:(backends "
        "plugins)' "
        ";;\n"
        "    help) compadd " +
        command_names() +
        " all; _ringload_listed . ;;\n"
        "  esac\n"
        "  return\n"
        "fi\n"
        "_arguments -s -S \\\n";
    for (const OptionSpec& spec : option_table()) {
        if (spec.shown == Shown::hidden) continue;
        const auto flags = flags_of(spec);
        std::string value;
        if (takes_value(spec)) {
            value = ":" + guarded(unquoted(spec.metavar), ":[]") + ":";
            if (spec.type == ValueType::file) value += "_files";
            if (spec.type == ValueType::directory) value += "_files -/";
            if (!listed_under(spec).empty()) {
                value += zsh_names(spec);
            } else if (!spec.choices.empty()) {
                value += "(" + std::string(spec.choices) + ")";
            }
        }
        const bool repeats = spec.id == OptionId::header || spec.id == OptionId::data || spec.id == OptionId::plugin_path;
        for (const std::string& flag : flags) {
            const bool optional = spec.type == ValueType::optional && flag.starts_with("--");
            const std::string suffix = optional ? "=-" : !takes_value(spec) ? "" : flag.starts_with("--") ? "=" : "+";
            const std::string prefix = repeats ? "*" : "(" + joined(flags, " ") + ")";
            out += "  '" + prefix + flag + suffix + "[" + guarded(unquoted(spec.help), ":[]") + "]" +
                   (optional ? "::" + std::string(spec.metavar) + ":" + zsh_names(spec) : value) + "' \\\n";
        }
    }
    return out + "  '1:command or URL:(" + command_names() + ")' \\\n  '*:URL:_urls'\n";
}

std::string fish_completion() {
    std::string out =
        "# fish completion for ringload\n"
        "function __ringload_listed\n"
        "    set -l program (commandline -opc)[1]\n"
        "    sh -c 'program=$2; \"$program\" list 2>/dev/null | awk -v want=\"$1\" "
        "\"/^[^ ]/ { on = \\$0 ~ \\\"^\\\" want } on && /^  [a-z0-9_]/ && !/^  none found\\$/ { print \\$1 }\"' sh $argv[1] $program\n"
        "end\n"
        "complete -c ringload -f\n";
    for (const CommandSpec& command : command_table()) {
        out += "complete -c ringload -n __fish_is_first_token -a " + std::string(command.name) + " -d '" + guarded(command.help, "'\\") +
               "'\n";
    }
    for (const OptionSpec& spec : option_table()) {
        if (spec.shown == Shown::hidden) continue;
        std::string line = "complete -c ringload -n 'not __fish_seen_subcommand_from serve list help'";
        for (const std::string& flag : flags_of(spec)) line += flag.starts_with("--") ? " -l " + flag.substr(2) : " -s " + flag.substr(1);
        std::string offered(spec.choices);
        if (!listed_under(spec).empty()) offered += " (__ringload_listed " + std::string(listed_under(spec)) + ")";
        if (spec.type == ValueType::optional) line += " -a '" + offered + "'";
        if (takes_value(spec)) {
            if (spec.type == ValueType::file) line += " -r -F";
            if (spec.type == ValueType::directory) line += " -x -a '(__fish_complete_directories)'";
            if (!offered.empty()) line += " -x -a '" + offered + "'";
            if (spec.type != ValueType::file && spec.type != ValueType::directory && offered.empty()) line += " -x";
        }
        out += line + " -d '" + guarded(spec.help, "'\\") + "'\n";
    }
    for (const serve::OptionRow& row : serve::kOptionRows) {
        out += "complete -c ringload -n '__fish_seen_subcommand_from serve' -l " + std::string(row.name) +
               (serve_takes_word(row) ? " -x" : "") + " -d '" + guarded(row.help, "'\\") + "'\n";
    }
    return out +
           "complete -c ringload -n '__fish_seen_subcommand_from list' -a 'backends plugins'\n"
           "complete -c ringload -n '__fish_seen_subcommand_from list' -l plugin-path -x -a '(__fish_complete_directories)'\n"
           "complete -c ringload -n '__fish_seen_subcommand_from help' -a 'all (__ringload_listed .)'\n";
}

}  // namespace rl::cli
