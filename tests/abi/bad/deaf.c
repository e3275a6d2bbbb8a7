/* It wants responses and has no function for them. */
#include "good.h"

BAD_SOURCE("deaf")

static void spoil(void) { ops.flags = RL_SOURCE_WANTS_RESPONSES; }
