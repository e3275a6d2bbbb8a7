// `ringload list`: backends and plug-ins, what each can do here, and where it was found.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/module/registry.hpp"
#include "tools/ringload/main.hpp"

namespace rl::cli {

enum class Listed : uint8_t { everything, backends, plugins };

// automatic: lines behind the backends, which say what --backend auto takes.
std::string list_page(std::span<const module::Listing> listings, Listed what, std::string_view automatic = {});

// arguments: the words behind `list`. Returns the exit code.
int list_command(std::span<const std::string> arguments, const Program& program);

}  // namespace rl::cli
