// The commands, and what main() hands to each.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "core/base/error.hpp"
#include "core/module/backend_abi.h"

namespace rl::cli {

struct Program {
    std::span<const rl_backend_entry_fn> linked_backends;
    uint64_t start_ns = 0;  // on CLOCK_MONOTONIC, at the start of main()
};

// arguments: the words of `ringload [run]`. Returns the exit code.
int run_command(std::span<const std::string> arguments, const Program& program);

// "ringload: ..." on stderr, in one line whatever the text holds; returns the exit code for it.
int complain(const Failure& failure);

// Writes a page to standard output; returns the exit code: 0, or 2 with a complaint.
int print(std::string_view page);

}  // namespace rl::cli
