/* A string of the descriptor is missing. */
#include "good.h"

BAD_SOURCE("null_text")

static void spoil(void) { plugin.license = NULL; }
