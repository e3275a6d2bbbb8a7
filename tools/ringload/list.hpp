// `ringload list`: backends and plug-ins, what each can do here, and where it was found.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/module/registry.hpp"
#include "tools/ringload/main.hpp"

namespace rl::cli {

enum class Listed : uint8_t { everything, backends, plugins };

std::string list_page(std::span<const module::Listing> listings, Listed what);

// arguments: the words behind `list`. Returns the exit code.
int list_command(std::span<const std::string> arguments, const Program& program);

}  // namespace rl::cli
