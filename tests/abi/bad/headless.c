/* fill() gives bytes that are no whole head. */
#include "good.h"

BAD_SOURCE("headless")

static int32_t headless(void *self, struct rl_request *out, uint32_t max) {
    good_fill(self, out, max);
    out[max - 1].head_len -= 2;
    return (int32_t)max;
}
static void spoil(void) { ops.fill = headless; }
