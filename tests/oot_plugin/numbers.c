/* A request source as someone outside would write it: GET PREFIX0, PREFIX1, ..., each number once over all workers. */
#include <stdio.h>
#include <string.h>

#include "ringload/plugin.h"

#define SLOTS 1024u
#define TEXT 256u

struct shared {
    const struct rl_host *host;
    const char *prefix; /* the host's until close() */
    char authority[128];
    uint64_t limit;
};
struct self {
    struct shared *shared;
    uint64_t next, step;
    uint32_t unused_count;
    uint32_t unused[SLOTS];
    char text[SLOTS][TEXT];
};

static int fail(struct rl_error *error, const char *why) {
    (void)snprintf(error->message, sizeof error->message, "%s", why);
    return -1;
}

static int numbers_open(const struct rl_open *open, void **shared, struct rl_error *error) {
    const struct rl_host *host = open->host;
    const struct rl_bytes authority = open->request->authority;
    if (open->values[0].v.s.n > 64 || authority.n >= 128) return fail(error, "--oot_numbers.prefix is too long; use at most 64 octets");
    struct shared *s = host->alloc(host->self, sizeof *s, 0, 0);
    if (s == NULL) return fail(error, "out of memory");
    s->host = host;
    s->prefix = open->values[0].v.s.p;
    s->limit = open->values[1].v.u;
    memcpy(s->authority, authority.p, authority.n);
    *shared = s;
    return 0;
}

static int numbers_worker_open(void *shared, const struct rl_worker *worker, void **self, struct rl_error *error) {
    struct shared *s = shared;
    struct self *me = s->host->alloc(s->host->self, sizeof *me, 64, worker->index);
    if (me == NULL) return fail(error, "out of memory");
    me->shared = s;
    me->next = worker->index;
    me->step = worker->count;
    while (me->unused_count < SLOTS) {
        me->unused[me->unused_count] = me->unused_count;
        ++me->unused_count;
    }
    *self = me;
    return 0;
}

static int32_t numbers_fill(void *self, struct rl_request *out, uint32_t max) {
    struct self *me = self;
    uint32_t n = 0;
    if (me->next >= me->shared->limit) return RL_END;
    for (; n < max && me->unused_count > 0 && me->next < me->shared->limit; ++n, me->next += me->step) {
        const uint32_t slot = me->unused[--me->unused_count];
        memset(&out[n], 0, sizeof out[n]);
        out[n].head_len = (uint32_t)snprintf(me->text[slot], TEXT, "GET %s%llu HTTP/1.1\r\nHost: %s\r\n\r\n", me->shared->prefix,
                                             (unsigned long long)me->next, me->shared->authority);
        out[n].head = (const uint8_t *)me->text[slot];
        out[n].cookie = slot;
        out[n].due_ns = RL_DUE_NONE;
        out[n].flags = RL_REQUEST_IDEMPOTENT;
    }
    return (int32_t)n;
}

static void numbers_recycle(void *self, const uint64_t *cookies, uint32_t n) {
    struct self *me = self;
    for (uint32_t i = 0; i < n; ++i) me->unused[me->unused_count++] = (uint32_t)cookies[i];
}

static void numbers_worker_close(void *self) {
    struct self *me = self;
    me->shared->host->free(me->shared->host->self, me);
}

static void numbers_close(void *shared) {
    struct shared *s = shared;
    s->host->free(s->host->self, s);
}

static const struct rl_option options[] = {
    {.name = "prefix", .metavar = "PATH", .def = "/", .help = "what stands before the number", .type = RL_OPTION_STRING},
    {.name = "limit", .metavar = "N", .def = "1000000", .help = "how many requests there are", .type = RL_OPTION_U64},
};
static const struct rl_source_ops ops = {
    .size = sizeof ops,
    .flags = RL_SOURCE_FINITE,
    .open = numbers_open,
    .worker_open = numbers_worker_open,
    .fill = numbers_fill,
    .recycle = numbers_recycle,
    .worker_close = numbers_worker_close,
    .close = numbers_close,
};
static const struct rl_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = RL_ABI_MAJOR,
    .abi_minor = RL_ABI_MINOR,
    .kind = RL_KIND_SOURCE,
    .name = "oot_numbers",
    .version = "1.0",
    .summary = "paths that are numbered",
    .license = "MIT",
    .build = "",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .option_stride = sizeof options[0],
    .ops = &ops,
};

const struct rl_plugin *ringload_plugin_v1(uint32_t index) { return index == 0 ? &plugin : NULL; }
