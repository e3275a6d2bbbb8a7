// Habits of other load generators: options that mean something else there. Such a value is never misread in silence; the message
// names the option that was meant.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace rl::cli {

struct CommandLine;
struct Given;

// Options that clash between the tools whose users come here (-s, -r, -k): always a failure with a hint.
Result<void> refuse_foreign(const CommandLine& line);

// The sentence for a value that cannot be this option's but looks like a habit; "" if it is just wrong.
std::string habit_hint(const Given& given);

}  // namespace rl::cli
