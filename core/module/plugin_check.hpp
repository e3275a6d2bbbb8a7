// Is a descriptor that a plug-in handed out fit to be used? Private to the loader. Control thread only.
#pragma once

#include "core/base/result.hpp"
#include "ringload/plugin.h"

namespace rl::module {

// Looks at nothing before what says that it may be looked at: size, then versions, then the rest. The failure's text is a clause
// with its remedy, without the file's name.
Result<void> check_descriptor(const rl_plugin& plugin);

}  // namespace rl::module
