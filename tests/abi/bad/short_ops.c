/* Its table of functions is shorter than that of ABI 1.0. */
#include "good.h"

BAD_SOURCE("short_ops")

static void spoil(void) { ops.size = offsetof(struct rl_source_ops, close); }
