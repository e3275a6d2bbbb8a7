/* The C header must be complete by itself: this file has no other line. */
#include "ringload/plugin.h"
