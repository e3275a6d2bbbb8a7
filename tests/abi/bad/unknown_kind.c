/* It is of a kind that no version knows. */
#include "good.h"

BAD_SOURCE("unknown_kind")

static void spoil(void) { plugin.kind = 9; }
