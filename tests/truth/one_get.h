/* What both sources of this folder send: the same GET again and again. Included by one C file a module. */
#ifndef TRUTH_ONE_GET_H
#define TRUTH_ONE_GET_H

#include <stdio.h>
#include <string.h>

#include "ringload/plugin.h"

struct one_get {
    char text[512];
    uint32_t length;
};

static inline int render_get(struct one_get *get, const struct rl_request_template *request, struct rl_error *error) {
    const int n = snprintf(get->text, sizeof get->text, "GET %.*s HTTP/1.1\r\nHost: %.*s\r\n\r\n", (int)request->target.n,
                           (const char *)request->target.p, (int)request->authority.n, (const char *)request->authority.p);
    if (n > 0 && (size_t)n < sizeof get->text) {
        get->length = (uint32_t)n;
        return 0;
    }
    (void)snprintf(error->message, sizeof error->message, "the URL is too long for this source; shorten it");
    return -1;
}

static inline void put_get(struct rl_request *out, const struct one_get *get, int64_t due_ns) {
    memset(out, 0, sizeof *out);
    out->head = (const uint8_t *)get->text;
    out->head_len = get->length;
    out->due_ns = due_ns;
    out->flags = RL_REQUEST_IDEMPOTENT;
}

#endif
