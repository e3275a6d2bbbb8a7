/* It sets a flag that this version does not know. */
#include "good.h"

BAD_SOURCE("unknown_flag")

static void spoil(void) { ops.flags = 1u << 20; }
