/* fill() dies. */
#include "good.h"

BAD_SOURCE("crash")

static int32_t crash(void *self, struct rl_request *out, uint32_t max) {
    (void)self;
    (void)out;
    (void)max;
    __builtin_trap();
}
static void spoil(void) { ops.fill = crash; }
