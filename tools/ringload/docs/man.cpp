// The manual in mdoc(7). Text from the table is escaped here; everything else is written out as macros.
#include <cctype>

#include "tools/ringload/docs/docgen.hpp"
#include "tools/ringload/option_table.hpp"
#include "tools/serve/option_rows.hpp"

namespace rl::cli {
namespace {

constexpr std::string_view kDate = "November 30, 2026";  // of the last change to what the page says; builds stay reproducible

// A line of running text.
std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '\\') {
            out += "\\e";
        } else {
            out += c;
        }
    }
    if (out.starts_with('.') || out.starts_with('\'')) out.insert(0, "\\&");
    return out;
}

// An argument of a macro.
std::string argument(std::string_view text) {
    const bool plain = text.find_first_of(" \"'") == std::string_view::npos && text.size() != 2;
    return plain ? escaped(text) : "\"\\&" + escaped(text) + "\"";
}

// mdoc wants each sentence to begin a line.
std::string sentences(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        size_t end = text.find(". ");
        end = end == std::string_view::npos ? text.size() : end + 1;
        out += escaped(text.substr(0, end)) + '\n';
        text.remove_prefix(end);
        while (!text.empty() && text[0] == ' ') text.remove_prefix(1);
    }
    return out;
}

std::string capitalised(std::string_view text) {
    std::string out(text);
    if (!out.empty()) out[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(out[0])));
    return out;
}

std::string value_of(const OptionSpec& spec) {
    if (spec.metavar.empty()) return "";
    if (spec.type == ValueType::optional) return " Ns Op = Ns Ar " + argument(spec.metavar);
    return " Ar " + argument(spec.metavar);
}

std::string flag(std::string_view name) { return (name.size() == 1 ? "Fl " : "Fl Fl ") + std::string(name); }

std::string item(const OptionSpec& spec) {
    std::string out = ".It ";
    if (spec.short_name != 0) out += std::string("Fl ") + spec.short_name + " , ";
    out += flag(spec.name) + value_of(spec) + '\n';
    bool literal = false;  // The phrase begins with a word that is typed just so.
    for (const std::string_view choice : words(spec.choices)) literal |= spec.help.starts_with(choice);
    out += escaped(literal ? std::string(spec.help) : capitalised(spec.help)) + ".\n";
    if (!spec.def.empty() && spec.type != ValueType::optional) out += "The default is\n.Cm " + argument(spec.def) + " .\n";
    if (!spec.more.empty()) out += sentences(spec.more);
    const auto aliases = words(spec.aliases);
    if (aliases.empty()) return out;
    out += "Also accepted:\n";
    for (size_t i = 0; i < aliases.size(); ++i) out += "." + flag(aliases[i]) + (i + 1 < aliases.size() ? " ,\n" : " .\n");
    return out;
}

std::string options_section() {
    std::string out =
        ".Sh OPTIONS\n"
        "Long options take their value as the next word or behind an equals sign, short ones also attached.\n"
        "Options and the URL may come in any order;\n.Fl Fl\nends the options.\n"
        "Of an option given twice the last counts, unless it is repeatable.\n"
        "Times are written like 250us, 500ms, 30s, 1.5s, 2m or 1h30m, and a bare number is seconds.\n";
    for (const GroupSpec& group : group_table()) {
        out += ".Ss " + std::string(group.title) + "\n.Bl -tag -width Ds\n";
        for (const OptionSpec& spec : option_table()) {
            if (spec.shown != Shown::hidden && spec.group == group.name) out += item(spec);
        }
        if (group.name == "plugins") {
            out +=
                ".It Fl Fl NAME.option Ns = Ns Ar VALUE\n"
                "Set an option of a plug-in or a backend that the run uses.\n"
                ".Fl Fl help Ns = Ns Ar NAME\nshows what there is.\n";
        }
        out += ".El\n";
    }
    return out;
}

std::string commands_section() {
    std::string out =
        ".Sh OTHER COMMANDS\n.Ss ringload list\n.Bl -tag -width Ds\n"
        ".It Cm backends , plugins\nShow only these.\n"
        ".It Fl Fl plugin-path Ar DIR\nLook for plug-ins here first, repeatable.\n"
        ".It Fl Fl BACKEND.option Ns = Ns Ar VALUE\nWhat the backend could do with this option set.\n.El\n";
    for (const serve::OptionRow& row : serve::kOptionRows) {
        if (!row.group.empty()) {
            const bool first = &row == serve::kOptionRows.data();
            out += (first ? ".Ss ringload serve\n" : ".El\n") + std::string(first ? "" : ".Pp\n") + escaped(row.group) +
                   ":\n.Bl -tag -width Ds\n";
        }
        const bool optional = row.metavar.starts_with('[');
        std::string value(row.metavar);
        if (optional) value = value.substr(2, value.size() - 3);
        out += ".It Fl Fl " + std::string(row.name);
        if (!value.empty()) out += (optional ? " Ns Op = Ns Ar " : " Ar ") + argument(value);
        out += '\n' + escaped(capitalised(row.help)) + ".\n";
    }
    return out +
           ".El\n.Pp\nA URL overrides these for its answer, as in\n.Dl http://127.0.0.1:8080/?size=4096&delay=5ms&status=404\n.Pa /stats\n"
           "tells what was received.\n";
}

std::string exit_section() {
    std::string out = ".Sh EXIT STATUS\n.Bl -tag -width Ds\n";
    for (const ExitSpec& exit : exit_table()) out += ".It " + std::to_string(exit.status) + '\n' + capitalised(exit.help) + ".\n";
    return out + ".El\n";
}

std::string examples_section() {
    std::string out = ".Sh EXAMPLES\n";
    for (const ExampleSpec& example : example_table()) {
        out += escaped(capitalised(example.help)) + ":\n.Pp\n.Dl " + escaped(example.command) + "\n.Pp\n";
    }
    return out.substr(0, out.size() - 4);
}

}  // namespace

std::string man_page() {
    std::string out = ".Dd " + std::string(kDate) +
                      "\n.Dt RINGLOAD 1\n.Os \"ringload " RINGLOAD_VERSION
                      "\"\n.Sh NAME\n.Nm ringload\n.Nd HTTP load generator\n.Sh SYNOPSIS\n";
    out += ".Nm\n.Op Cm run\n.Op Ar OPTIONS\n.Ar URL\n.Nm\n.Cm serve\n.Op Ar OPTIONS\n.Nm\n.Cm list\n.Op Cm backends | plugins\n";
    out +=
        ".Sh DESCRIPTION\n.Nm\nsends requests to one URL over many connections for a time or a number of requests,\n"
        "and reports throughput, latency, failures, and whether its own figures can be believed.\n.Pp\nThe commands are:\n"
        ".Bl -tag -width Ds\n";
    for (const CommandSpec& command : command_table())
        out += ".It Cm " + std::string(command.name) + '\n' + capitalised(command.help) + ".\n";
    out +=
        ".El\n.Pp\nErrors that can be found without the network are found before any request is sent;\n"
        "each is one line on standard error.\n"
        "The first\n.Dv SIGINT\nor\n.Dv SIGTERM\nends the run and prints the report of what was measured; a second one, half a second "
        "later or more, quits at once.\n";
    out += options_section();
    out += commands_section();
    out += report_sections();
    out +=
        ".Sh ENVIRONMENT\n.Bl -tag -width Ds\n.It Ev NO_COLOR\nIf set and not empty, no output is coloured.\n"
        ".It Ev LC_ALL , LC_CTYPE , LANG\nThe first that is set says whether the text report and the progress line may hold more than "
        "ASCII.\n"
        "They may if none is set.\n.It Ev COLUMNS\nThe width of both, if it is set; else that of the terminal.\n"
        ".It Ev RINGLOAD_PLUGIN_PATH\nFolders in which plug-ins are looked for after\n.Fl Fl plugin-path ,\nparted by colons.\n"
        ".It Ev RINGLOAD_BACKEND_PATH\nThe same for backends.\n.El\n";
    return out + exit_section() + examples_section();
}

}  // namespace rl::cli
