/* fill() ends although the source did not say that it would. */
#include "good.h"

BAD_SOURCE("sudden_end")

static int32_t end_now(void *self, struct rl_request *out, uint32_t max) {
    (void)self;
    (void)out;
    (void)max;
    return RL_END;
}
static void spoil(void) { ops.fill = end_now; }
