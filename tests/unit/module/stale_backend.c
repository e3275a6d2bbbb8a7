/* A backend module that another build left behind. */
#include "core/module/backend_abi.h"

RL_EXPORT const struct rl_backend_module *rl_backend_entry(void);
const struct rl_backend_module *rl_backend_entry(void) {
    static const struct rl_backend_module module = {
        .magic = RL_BACKEND_MAGIC, .size = sizeof module, .build_id = "another", .name = "stale", .summary = "of yesterday"};
    return &module;
}
