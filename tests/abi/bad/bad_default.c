/* The default of an option is no value of its type. */
#include "good.h"

BAD_SOURCE("bad_default")

static const struct rl_option options[] = {{.name = "wait", .def = "soon", .help = "one", .type = RL_OPTION_BOOL}};
static void spoil(void) {
    plugin.options = options;
    plugin.option_count = 1;
    plugin.option_stride = sizeof options[0];
}
