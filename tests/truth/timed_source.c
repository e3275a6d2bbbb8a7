/* A source that owns its timeline, and the pacer that takes it from there: request k is due where the given gaps, used over and over,
 * add up to after k steps. Worker w of W has the requests k = w mod W. Built as two modules, one for each name. */
#include <stdlib.h>

#include "one_get.h"

#define GAPS_MAX 64u

struct shared {
    const struct rl_host *host;
    struct one_get get;
    int64_t gaps_ns[GAPS_MAX];
    uint64_t limit;
    uint32_t gap_count;
};
struct self {
    struct shared *shared;
    uint64_t next, step;
    int64_t due_ns;
};

static int read_gaps(struct shared *s, const char *text, struct rl_error *error) {
    for (char *end; s->gap_count < GAPS_MAX; text = end + 1) {
        s->gaps_ns[s->gap_count++] = strtoll(text, &end, 10) * 1000;
        if (end == text) break;
        if (*end == 0) return 0;
    }
    (void)snprintf(error->message, sizeof error->message, "gaps are whole microseconds with commas, at most %u", GAPS_MAX);
    return -1;
}

static int times_open(const struct rl_open *open, void **shared, struct rl_error *error) {
    struct shared *s = open->host->alloc(open->host->self, sizeof *s, 0, 0);
    if (s == NULL || render_get(&s->get, open->request, error) != 0) return -1;
    s->host = open->host;
    s->limit = open->values[1].v.u;
    *shared = s;
    return read_gaps(s, open->values[0].v.s.p, error);
}

static void walk(struct self *me, uint64_t steps) {
    for (; steps > 0; --steps, ++me->next) me->due_ns += me->shared->gaps_ns[me->next % me->shared->gap_count];
}

static int times_worker_open(void *shared, const struct rl_worker *worker, void **self, struct rl_error *error) {
    struct shared *s = shared;
    struct self *me = s->host->alloc(s->host->self, sizeof *me, 0, worker->index);
    (void)error;
    if (me == NULL) return -1;
    me->shared = s;
    me->step = worker->count;
    walk(me, worker->index);
    *self = me;
    return 0;
}

static int32_t times_fill(void *self, struct rl_request *out, uint32_t max) {
    struct self *me = self;
    uint32_t n = 0;
    for (; n < max && me->next < me->shared->limit; ++n) {
        put_get(&out[n], &me->shared->get, me->due_ns);
        walk(me, me->step);
    }
    return n == 0 ? RL_END : (int32_t)n;
}

static void times_worker_close(void *self) {
    struct self *me = self;
    me->shared->host->free(me->shared->host->self, me);
}

static void times_close(void *shared) {
    struct shared *s = shared;
    s->host->free(s->host->self, s);
}

static int pacer_open(const struct rl_open *open, void **shared, struct rl_error *error) {
    (void)open;
    (void)error;
    *shared = NULL;
    return 0;
}
static int pacer_worker_open(void *shared, const struct rl_worker *worker, void **self, struct rl_error *error) {
    (void)shared;
    (void)worker;
    (void)error;
    *self = NULL;
    return 0;
}
static void pacer_close(void *nothing) { (void)nothing; }

static const struct rl_option options[] = {
    {.name = "gaps", .metavar = "LIST", .def = "1000", .help = "microseconds between requests, used over and over", .type = RL_OPTION_STRING},
    {.name = "limit", .metavar = "N", .def = "1000", .help = "how many requests there are", .type = RL_OPTION_U64},
};
static const struct rl_source_ops source_ops = {
    .size = sizeof source_ops,
    .flags = RL_SOURCE_FINITE | RL_SOURCE_TIMED,
    .open = times_open,
    .worker_open = times_worker_open,
    .fill = times_fill,
    .worker_close = times_worker_close,
    .close = times_close,
};
static const struct rl_pacer_ops pacer_ops = {
    .size = sizeof pacer_ops,
    .flags = RL_PACER_FROM_SOURCE,
    .open = pacer_open,
    .worker_open = pacer_worker_open,
    .worker_close = pacer_close,
    .close = pacer_close,
};
static const struct rl_plugin plugins[] = {
    {
        .size = sizeof plugins[0],
        .abi_major = RL_ABI_MAJOR,
        .abi_minor = RL_ABI_MINOR,
        .kind = RL_KIND_SOURCE,
        .name = "truth_times",
        .version = "1.0",
        .summary = "one request at given times",
        .license = "MIT OR Apache-2.0",
        .build = "",
        .options = options,
        .option_count = sizeof options / sizeof options[0],
        .option_stride = sizeof options[0],
        .ops = &source_ops,
    },
    {
        .size = sizeof plugins[0],
        .abi_major = RL_ABI_MAJOR,
        .abi_minor = RL_ABI_MINOR,
        .kind = RL_KIND_PACER,
        .name = "truth_follow",
        .version = "1.0",
        .summary = "as the source says",
        .license = "MIT OR Apache-2.0",
        .build = "",
        .ops = &pacer_ops,
    },
};

const struct rl_plugin *ringload_plugin_v1(uint32_t index) { return index < 2 ? &plugins[index] : NULL; }
