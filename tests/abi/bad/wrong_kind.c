/* A pacer in a file that promises a source. */
#include "good.h"

BAD_PACER("wrong_kind")

static void spoil(void) {}
