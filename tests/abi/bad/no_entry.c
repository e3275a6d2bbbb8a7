/* An object that is no plug-in at all. */
#include "good.h"

RL_EXPORT int unrelated(void);
int unrelated(void) { return good_place; }
