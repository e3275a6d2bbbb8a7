/* Its option table has a stride that no option fits in. */
#include "good.h"

BAD_SOURCE("short_stride")

static const struct rl_option options[] = {{.name = "wait", .help = "one", .type = RL_OPTION_BOOL}};
static void spoil(void) {
    plugin.options = options;
    plugin.option_count = 1;
    plugin.option_stride = 32;
}
