/* A function that every source needs is missing. */
#include "good.h"

BAD_SOURCE("null_op")

static void spoil(void) { ops.fill = NULL; }
