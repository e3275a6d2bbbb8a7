/* A source, a pacer and a reporter as they were written for ABI 1.0. They include the header of that version, which lies beside this
 * file, and must run under every later host of major version 1. Never changed once the version is out. */
#include "plugin.h"

#include <stdio.h>
#include <string.h>

#define SLOTS 256u

struct self {
    const struct rl_host *host;
    uint64_t next, step;
    uint32_t unused[SLOTS], unused_count;
    char text[SLOTS][96];
    uint64_t answers;
};

static int source_open(const struct rl_open *open, void **shared, struct rl_error *error) {
    if (open->value_count != 3 || open->values[0].v.s.n == 0 || open->values[1].v.u != 7 || open->values[2].is_set != 0) {
        (void)snprintf(error->message, sizeof error->message, "the options did not arrive as they were declared");
        return -1;
    }
    *shared = (void *)(uintptr_t)open->host;
    return 0;
}
static int source_worker_open(void *shared, const struct rl_worker *worker, void **self, struct rl_error *error) {
    const struct rl_host *host = shared;
    struct self *me = host->alloc(host->self, sizeof *me, 64, worker->index);
    if (me == NULL) {
        (void)snprintf(error->message, sizeof error->message, "out of memory");
        return -1;
    }
    me->host = host;
    me->next = worker->index;
    me->step = worker->count;
    for (uint32_t i = 0; i < SLOTS; ++i) me->unused[me->unused_count++] = i;
    *self = me;
    return 0;
}
static int32_t source_fill(void *self, struct rl_request *out, uint32_t max) {
    struct self *me = self;
    uint32_t n = 0;
    for (; n < max && me->unused_count > 0; ++n, me->next += me->step) {
        const uint32_t slot = me->unused[--me->unused_count];
        memset(&out[n], 0, sizeof out[n]);
        out[n].head_len = (uint32_t)snprintf(me->text[slot], sizeof me->text[slot], "GET /%llu HTTP/1.1\r\nHost: sample\r\n\r\n",
                                             (unsigned long long)me->next);
        out[n].head = (const uint8_t *)me->text[slot];
        out[n].cookie = slot;
        out[n].due_ns = RL_DUE_NONE;
        out[n].flags = RL_REQUEST_IDEMPOTENT;
    }
    return (int32_t)n;
}
static void source_recycle(void *self, const uint64_t *cookies, uint32_t n) {
    struct self *me = self;
    for (uint32_t i = 0; i < n; ++i) me->unused[me->unused_count++] = (uint32_t)cookies[i];
}
static void source_responses(void *self, const struct rl_response *in, uint32_t n) {
    struct self *me = self;
    for (uint32_t i = 0; i < n; ++i) me->answers += in[i].status != 0 ? 1 : 0;
}
static void source_worker_close(void *self) {
    struct self *me = self;
    me->host->free(me->host->self, me);
}
static void source_close(void *shared) { (void)shared; }

static const struct rl_option source_options[] = {
    {.name = "text", .metavar = "TEXT", .def = "some", .help = "never empty", .type = RL_OPTION_STRING},
    {.name = "number", .metavar = "N", .def = "7", .help = "seven", .min = 1, .max = 9, .type = RL_OPTION_U64},
    {.name = "wait", .metavar = "TIME", .help = "not given", .type = RL_OPTION_DURATION},
};
static const struct rl_source_ops source_ops = {
    .size = sizeof source_ops,
    .flags = RL_SOURCE_WANTS_RESPONSES,
    .open = source_open,
    .worker_open = source_worker_open,
    .fill = source_fill,
    .recycle = source_recycle,
    .responses = source_responses,
    .worker_close = source_worker_close,
    .close = source_close,
};

/* One slot a millisecond for each worker. */
static int pacer_open(const struct rl_open *open, void **shared, struct rl_error *error) {
    (void)error;
    *shared = (void *)(uintptr_t)open->host;
    return 0;
}
static int pacer_worker_open(void *shared, const struct rl_worker *worker, void **self, struct rl_error *error) {
    const struct rl_host *host = shared;
    uint64_t *next = host->alloc(host->self, 2 * sizeof *next, 0, worker->index);
    (void)error;
    if (next == NULL) return -1;
    next[1] = (uint64_t)(uintptr_t)host;
    *self = next;
    return 0;
}
static int32_t pacer_grant(void *self, uint64_t now_ns, uint64_t *due_ns, uint32_t max, uint64_t *next_ns) {
    uint64_t *next = self;
    uint32_t n = 0;
    for (; n < max && *next <= now_ns; *next += 1000000u) due_ns[n++] = *next;
    *next_ns = *next;
    return (int32_t)n;
}
static uint64_t pacer_scheduled(void *self, uint64_t end_ns) {
    (void)self;
    return (end_ns + 999999u) / 1000000u;
}
static void pacer_worker_close(void *self) {
    uint64_t *next = self;
    const struct rl_host *host = (const struct rl_host *)(uintptr_t)next[1];
    host->free(host->self, next);
}
static const struct rl_pacer_ops pacer_ops = {
    .size = sizeof pacer_ops,
    .open = pacer_open,
    .worker_open = pacer_worker_open,
    .grant = pacer_grant,
    .scheduled = pacer_scheduled,
    .worker_close = pacer_worker_close,
    .close = source_close,
};

static int reporter_open(const struct rl_open *open, void **self, struct rl_error *error) {
    (void)open;
    (void)error;
    *self = NULL;
    return 0;
}
static int reporter_end(void *self, const struct rl_report *report, struct rl_error *error) {
    char line[64];
    const int n = snprintf(line, sizeof line, "%u members\n", (unsigned)report->root->count);
    (void)self;
    if (report->out->write(report->out->self, line, (size_t)n) == 0) return 0;
    (void)snprintf(error->message, sizeof error->message, "cannot write the report");
    return -1;
}
static const struct rl_reporter_ops reporter_ops = {
    .size = sizeof reporter_ops, .open = reporter_open, .end = reporter_end, .close = source_close};

static const struct rl_plugin plugins[] = {
    {sizeof(struct rl_plugin), RL_ABI_MAJOR, RL_ABI_MINOR, RL_KIND_SOURCE, 0, "sample", "1.0", "for ABI 1.0", "MIT", "", source_options,
     sizeof source_options / sizeof source_options[0], sizeof source_options[0], &source_ops},
    {sizeof(struct rl_plugin), RL_ABI_MAJOR, RL_ABI_MINOR, RL_KIND_PACER, 0, "sample", "1.0", "for ABI 1.0", "MIT", "", NULL, 0, 0,
     &pacer_ops},
    {sizeof(struct rl_plugin), RL_ABI_MAJOR, RL_ABI_MINOR, RL_KIND_REPORTER, 0, "sample", "1.0", "for ABI 1.0", "MIT", "", NULL, 0, 0,
     &reporter_ops},
};

const struct rl_plugin *ringload_plugin_v1(uint32_t index) { return index < 3 ? &plugins[index] : NULL; }
