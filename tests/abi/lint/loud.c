/* An object that shows more than its entry: check_exports.py must say so. */
#include "ringload/plugin.h"

RL_EXPORT int not_the_entry(void);
int not_the_entry(void) { return 1; }
const struct rl_plugin *ringload_plugin_v1(uint32_t index) {
    (void)index;
    return NULL;
}
