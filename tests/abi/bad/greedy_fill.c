/* fill() returns more than it was asked for. */
#include "good.h"

BAD_SOURCE("greedy_fill")

static int32_t greedy(void *self, struct rl_request *out, uint32_t max) {
    good_fill(self, out, max);
    return (int32_t)max + 1;
}
static void spoil(void) { ops.fill = greedy; }
