/* Its descriptor ends before the version. */
#include "good.h"

BAD_SOURCE("tiny_descriptor")

static void spoil(void) { plugin.size = 4; }
