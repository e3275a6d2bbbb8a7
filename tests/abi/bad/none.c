/* It has the entry, and nothing behind it. */
#include "good.h"

const struct rl_plugin *ringload_plugin_v1(uint32_t index) {
    (void)index;
    return NULL;
}
