/* Its descriptor is shorter than that of ABI 1.0. */
#include "good.h"

BAD_SOURCE("short_descriptor")

static void spoil(void) { plugin.size = offsetof(struct rl_plugin, ops); }
