/* Built for a major version to come. */
#include "good.h"

BAD_SOURCE("wrong_major")

static void spoil(void) { plugin.abi_major = 2; }
