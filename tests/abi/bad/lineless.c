/* The target of the request line holds a blank. */
#include "good.h"

BAD_SOURCE("lineless")

static const uint8_t lineless_head[] = "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n";
static int32_t lineless_fill(void *self, struct rl_request *out, uint32_t max) {
    (void)self;
    (void)max;
    good_request(out);
    out->head = lineless_head;
    out->head_len = sizeof lineless_head - 1;
    return 1;
}

static void spoil(void) { ops.fill = lineless_fill; }
