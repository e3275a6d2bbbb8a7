/* grant() hands out a slot that is not due. */
#include "good.h"

BAD_PACER("early_pacer")

static int32_t early(void *self, uint64_t now_ns, uint64_t *due_ns, uint32_t max, uint64_t *next_ns) {
    (void)self;
    (void)max;
    due_ns[0] = now_ns + 1;
    *next_ns = now_ns + 1;
    return 1;
}
static void spoil(void) { ops.grant = early; }
