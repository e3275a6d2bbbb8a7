// The pages of --help, from the option table and from the tables of plug-ins and backends. Plain text, at most 100 columns.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/module/option_binding.hpp"

namespace rl::cli {

std::string help_page();                                             // --help: two screens
std::string help_all_page();                                         // --help=all: every option
std::optional<std::string> help_group_page(std::string_view group);  // --help=load; nothing if there is no such group

// --help=static_url: what it is, and its options with types, bounds and defaults.
std::string help_plugin_page(std::string_view kind, std::string_view name, std::string_view summary, const module::OptionTable& table);

std::string version_line();  // "ringload 0.1.0"

}  // namespace rl::cli
