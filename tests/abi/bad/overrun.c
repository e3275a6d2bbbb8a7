/* fill() writes past the requests that it returns. */
#include "good.h"

BAD_SOURCE("overrun")

static int32_t overrun(void *self, struct rl_request *out, uint32_t max) {
    good_fill(self, out, max);
    good_request(&out[max]);
    return (int32_t)max;
}
static void spoil(void) { ops.fill = overrun; }
