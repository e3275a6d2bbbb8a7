/* The file promises another name than the descriptor. */
#include "good.h"

BAD_SOURCE("wrong_name")

static void spoil(void) { plugin.name = "quite_other"; }
