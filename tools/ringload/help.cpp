// Two columns: what is typed, and what it does. The first column is as wide as the widest entry on the page.
#include "tools/ringload/help.hpp"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "tools/ringload/option_table.hpp"

namespace rl::cli {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

constexpr size_t kGap = 2;
constexpr size_t kColumns = 100;

size_t width_of(const Rows& rows) {
    size_t width = 0;
    for (const auto& [left, right] : rows) width = std::max(width, left.size());
    return width;
}

// Words of the second column, on as many lines as it takes.
std::string wrapped(std::string_view text, size_t indent) {
    std::string out;
    size_t column = indent;
    for (const std::string_view word : words(text)) {
        if (column > indent && column + 1 + word.size() > kColumns) {
            out.append("\n").append(indent, ' ');
            column = indent;
        } else if (column > indent) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
    }
    return out;
}

std::string render(const Rows& rows, size_t width) {
    std::string out;
    for (const auto& [left, right] : rows) {
        out.append("  ").append(left).append(width - left.size() + kGap, ' ').append(wrapped(right, width + 2 + kGap)).append("\n");
    }
    return out;
}

std::string left_of(const OptionSpec& spec) {
    std::string left = spec.short_name == 0 ? "    " : std::string("-") + spec.short_name + ", ";
    left += "--" + std::string(spec.name);
    if (spec.type == ValueType::optional) return left + "[=" + std::string(spec.metavar) + "]";
    if (!spec.metavar.empty()) left += ' ' + std::string(spec.metavar);
    return left;
}

enum class Choices : uint8_t { shown, left_out };

std::string right_of(const OptionSpec& spec, Choices choices) {
    std::string right(spec.help);
    std::string list;
    for (const std::string_view choice : words(spec.choices)) list += (list.empty() ? "" : ", ") + std::string(choice);
    if (choices == Choices::shown && !list.empty()) right += " (" + list + ")";
    if (!spec.def.empty() && spec.type != ValueType::optional) right += " [" + std::string(spec.def) + "]";
    return right;
}

using Filter = std::function<bool(const OptionSpec&)>;

Rows rows_of(const Filter& wanted, Choices choices) {
    Rows rows;
    for (const OptionSpec& spec : option_table()) {
        if (spec.shown != Shown::hidden && wanted(spec)) rows.emplace_back(left_of(spec), right_of(spec, choices));
    }
    return rows;
}

std::string blocks(const Filter& wanted, Choices choices) {
    const size_t width = width_of(rows_of(wanted, choices));
    std::string out;
    for (const GroupSpec& group : group_table()) {
        const Rows rows = rows_of([&](const OptionSpec& spec) { return spec.group == group.name && wanted(spec); }, choices);
        if (!rows.empty()) out += '\n' + std::string(group.title) + ":\n" + render(rows, width);
    }
    return out;
}

std::string head() {
    std::string out = version_line() + ", an HTTP load generator\n\n";
    Rows commands;
    for (const CommandSpec& command : command_table()) commands.emplace_back("ringload " + std::string(command.usage), command.help);
    out += "Usage:\n" + render(commands, width_of(commands)) + "\nExamples:\n";
    Rows examples;
    for (const ExampleSpec& example : example_table()) examples.emplace_back(example.command, example.help);
    return out + render(examples, width_of(examples));
}

std::string tail() {
    Rows exits;
    for (const ExitSpec& exit : exit_table()) exits.emplace_back(std::to_string(exit.status), exit.help);
    return "\nExit status:\n" + render(exits, width_of(exits));
}

std::string group_names() {
    std::string out;
    for (const GroupSpec& group : group_table()) out += (out.empty() ? "" : ", ") + std::string(group.name);
    return out;
}

std::string plugin_left(const module::OptionTable& table, const rl_option& option) {
    const std::string_view metavar = option.metavar == nullptr ? "" : option.metavar;
    std::string left = "--" + std::string(table.owner) + '.' + option.name;
    const bool flag = option.type == RL_OPTION_BOOL;
    return left + (flag ? "[=BOOL]" : "=" + std::string(metavar.empty() ? "VALUE" : metavar));
}

std::string plugin_right(const rl_option& option) {
    std::string right = option.help == nullptr ? "" : option.help;
    std::string facts(module::type_name(option.type));
    for (size_t i = 0; option.choices != nullptr && option.choices[i] != nullptr; ++i) {
        facts += (i == 0 ? ": " : " ") + std::string(option.choices[i]);
    }
    const bool integer = option.type == RL_OPTION_I64 || option.type == RL_OPTION_U64;
    if (integer && (option.min != 0 || option.max != 0)) facts += ", " + std::to_string(option.min) + " to " + std::to_string(option.max);
    if ((option.flags & RL_OPTION_REQUIRED) != 0) facts += ", required";
    right += (right.empty() ? "(" : " (") + facts + ")";
    if (option.def != nullptr) right += " [" + std::string(option.def) + "]";
    return right;
}

}  // namespace

std::string version_line() { return "ringload " RINGLOAD_VERSION; }

std::string help_page() {
    std::string out = head() + blocks([](const OptionSpec& spec) { return spec.shown == Shown::first; }, Choices::left_out);
    out += "\nMore: --help=all, --help=GROUP (" + group_names() + "),\n";
    out += "      --help=PLUG-IN or BACKEND (ringload list names them), man ringload\n";
    return out;
}

std::string help_all_page() {
    return head() + blocks([](const OptionSpec&) { return true; }, Choices::shown) +
           "\n  --NAME.option=VALUE sets an option of a plug-in or backend; --help=NAME shows them.\n" + tail();
}

std::optional<std::string> help_group_page(std::string_view group) {
    const std::string page = blocks([&](const OptionSpec& spec) { return spec.group == group; }, Choices::shown);
    if (page.empty()) return std::nullopt;
    return page.substr(1);
}

std::string help_plugin_page(std::string_view kind, std::string_view name, std::string_view summary, const module::OptionTable& table) {
    std::string out = std::string(name) + " (" + std::string(kind) + "): " + std::string(summary) + '\n';
    Rows rows;
    for (uint32_t i = 0; i < table.count; ++i) rows.emplace_back(plugin_left(table, table.at(i)), plugin_right(table.at(i)));
    if (rows.empty()) return out + "\nIt has no options.\n";
    return out + "\nOptions:\n" + render(rows, width_of(rows));
}

}  // namespace rl::cli
