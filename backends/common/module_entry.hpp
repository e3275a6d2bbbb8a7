// How a backend module exports its entry: one symbol in a shared object, a name of its own where backends are linked in.
#pragma once

#include "core/module/backend_abi.h"
#include "core/module/build_id.hpp"

#ifdef RL_STATIC_BACKENDS
#define RL_BACKEND_ENTRY(name, module)                             \
    extern "C" const rl_backend_module* rl_backend_entry_##name(); \
    extern "C" const rl_backend_module* rl_backend_entry_##name() { return &(module); }
#else
#define RL_BACKEND_ENTRY(name, module)                                \
    extern "C" RL_EXPORT const rl_backend_module* rl_backend_entry(); \
    extern "C" RL_EXPORT const rl_backend_module* rl_backend_entry() { return &(module); }
#endif
