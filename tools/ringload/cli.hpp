// From the words of a command line to options, plug-in options and URLs. Nothing is converted or checked here but the grammar.
//
// Boost.Program_options splits the words; its exceptions end in this file's scan(), and every sentence a person sees is ours. It runs
// twice: without tables first, to learn which plug-ins are wanted, then with the tables of those.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/engine/run_spec.hpp"
#include "core/module/option_binding.hpp"
#include "tools/ringload/option_table.hpp"

namespace rl::cli {

struct Given {
    const OptionSpec* spec = nullptr;
    std::string value;  // empty for a flag
    std::string typed;  // as on the command line: "-t", "--workers"
};

struct CommandLine {
    std::vector<Given> options;                       // in order
    std::vector<engine::OptionValue> plugin_options;  // in order
    std::vector<std::string> urls;

    bool has(OptionId id) const noexcept { return last(id) != nullptr; }
    const Given* last(OptionId id) const noexcept;  // the last of a repeated option counts; NULL if it was not given
};

enum class DottedNames : uint8_t {
    tolerated,  // first pass: --NAME.option is kept aside unread, and words behind it may be its value or a URL
    checked,    // second pass: each must be in one of the tables
};

// Fails with a usage sentence that begins with the option as typed.
Result<CommandLine> scan(std::span<const std::string> arguments, std::span<const module::OptionTable> tables, DottedNames dotted);

// The owners of all --OWNER.option words, each once, in order: whose tables the second pass needs.
std::vector<std::string> owners_of(const CommandLine& line);

}  // namespace rl::cli
