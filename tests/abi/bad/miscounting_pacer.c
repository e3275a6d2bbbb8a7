/* scheduled() and grant() do not agree. */
#include "good.h"

BAD_PACER("miscounting_pacer")

static uint64_t one_too_many(void *self, uint64_t end_ns) {
    (void)self;
    (void)end_ns;
    return 1;
}
static void spoil(void) { ops.scheduled = one_too_many; }
