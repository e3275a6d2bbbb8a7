/* A source that breaks its contract once, on purpose: in the middle of the run one fill() of worker 0 sleeps. It stands for everything
 * that keeps a worker's loop from turning. On stderr it says from when to when, by CLOCK_MONOTONIC. */
#include <time.h>

#include "one_get.h"

struct shared {
    const struct rl_host *host;
    struct one_get get;
    int64_t after_ns, stall_ns;
};
struct self {
    struct shared *shared;
    uint64_t first_ns, from_ns, until_ns;
    uint32_t index;
};

static int stall_open(const struct rl_open *open, void **shared, struct rl_error *error) {
    struct shared *s = open->host->alloc(open->host->self, sizeof *s, 0, 0);
    if (s == NULL || render_get(&s->get, open->request, error) != 0) return -1;
    s->host = open->host;
    s->after_ns = open->values[0].v.i;
    s->stall_ns = open->values[1].v.i;
    *shared = s;
    return 0;
}

static int stall_worker_open(void *shared, const struct rl_worker *worker, void **self, struct rl_error *error) {
    struct shared *s = shared;
    struct self *me = s->host->alloc(s->host->self, sizeof *me, 0, worker->index);
    (void)error;
    if (me == NULL) return -1;
    me->shared = s;
    me->index = worker->index;
    *self = me;
    return 0;
}

static uint64_t now_ns(void) {
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* One request at a time, so that there is a call for each. The first call comes at the start of the run. */
static int32_t stall_fill(void *self, struct rl_request *out, uint32_t max) {
    struct self *me = self;
    const struct shared *s = me->shared;
    (void)max;
    put_get(out, &s->get, RL_DUE_NONE);
    const uint64_t now = now_ns();
    if (me->first_ns == 0) me->first_ns = now;
    if (me->index != 0 || me->from_ns != 0 || now - me->first_ns < (uint64_t)s->after_ns) return 1;
    const struct timespec length = {.tv_sec = s->stall_ns / 1000000000, .tv_nsec = s->stall_ns % 1000000000};
    me->from_ns = now;
    (void)nanosleep(&length, NULL);
    me->until_ns = now_ns();
    return 1;
}

static void stall_worker_close(void *self) {
    struct self *me = self;
    if (me->from_ns != 0) {
        (void)fprintf(stderr, "stalled %llu %llu\n", (unsigned long long)me->from_ns, (unsigned long long)me->until_ns);
    }
    me->shared->host->free(me->shared->host->self, me);
}

static void stall_close(void *shared) {
    struct shared *s = shared;
    s->host->free(s->host->self, s);
}

static const struct rl_option options[] = {
    {.name = "after", .metavar = "TIME", .def = "1s", .help = "when it stalls", .type = RL_OPTION_DURATION},
    {.name = "stall", .metavar = "TIME", .def = "150ms", .help = "for how long", .type = RL_OPTION_DURATION},
};
static const struct rl_source_ops ops = {
    .size = sizeof ops,
    .open = stall_open,
    .worker_open = stall_worker_open,
    .fill = stall_fill,
    .worker_close = stall_worker_close,
    .close = stall_close,
};
static const struct rl_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = RL_ABI_MAJOR,
    .abi_minor = RL_ABI_MINOR,
    .kind = RL_KIND_SOURCE,
    .name = "truth_stall",
    .version = "1.0",
    .summary = "one request, and one long stall",
    .license = "MIT OR Apache-2.0",
    .build = "",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .option_stride = sizeof options[0],
    .ops = &ops,
};

const struct rl_plugin *ringload_plugin_v1(uint32_t index) { return index == 0 ? &plugin : NULL; }
