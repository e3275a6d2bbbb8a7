/* Its name cannot stand on a command line. */
#include "good.h"

BAD_SOURCE("odd_name")

static void spoil(void) { plugin.name = "Odd Name"; }
