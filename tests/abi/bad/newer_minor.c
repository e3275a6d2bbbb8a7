/* Needs a minor version that the host does not have. */
#include "good.h"

BAD_SOURCE("newer_minor")

static void spoil(void) { plugin.abi_minor = 7; }
