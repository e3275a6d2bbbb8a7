// The backends that are linked into the program: none unless it was built with -Dbackends_linkage=static.
#pragma once

#include <span>

#include "core/module/backend_abi.h"

namespace rl::backends {

#ifdef RL_STATIC_BACKENDS
std::span<const rl_backend_entry_fn> linked() noexcept;
#else
inline std::span<const rl_backend_entry_fn> linked() noexcept { return {}; }
#endif

}  // namespace rl::backends
