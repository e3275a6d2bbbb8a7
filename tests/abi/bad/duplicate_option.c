/* It declares an option twice. */
#include "good.h"

BAD_SOURCE("duplicate_option")

static const struct rl_option options[] = {
    {.name = "size", .def = "1", .help = "one", .type = RL_OPTION_U64},
    {.name = "size", .def = "2", .help = "two", .type = RL_OPTION_U64},
};
static void spoil(void) {
    plugin.options = options;
    plugin.option_count = 2;
    plugin.option_stride = sizeof options[0];
}
