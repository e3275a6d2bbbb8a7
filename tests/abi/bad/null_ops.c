/* It has no table of functions. */
#include "good.h"

BAD_SOURCE("null_ops")

static void spoil(void) { plugin.ops = NULL; }
