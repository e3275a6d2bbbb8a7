/* The name of an option has a dot, which parts owner and option on the command line. */
#include "good.h"

BAD_SOURCE("dotted_option")

static const struct rl_option options[] = {{.name = "a.b", .help = "one", .type = RL_OPTION_BOOL}};
static void spoil(void) {
    plugin.options = options;
    plugin.option_count = 1;
    plugin.option_stride = sizeof options[0];
}
