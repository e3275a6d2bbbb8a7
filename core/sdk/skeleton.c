/* skeleton.c - the smallest complete request source, every function explained. Copy it, rename it, fill it in.
 *
 *   cc -std=c11 -O2 -fPIC -fvisibility=hidden -shared $(pkg-config --cflags ringload-plugin) skeleton.c -o librl_source_skeleton.so
 *   rl-plugin-check ./librl_source_skeleton.so
 *   ringload --plugin-path . --source skeleton http://127.0.0.1:8080/
 *
 * A pacer or reporter looks the same with rl_pacer_ops or rl_reporter_ops in the place of rl_source_ops; ringload/plugin.h says
 * beside each function on which thread it is called and what it may do.
 */
#include <stdio.h>
#include <string.h>

#include "ringload/plugin.h"

/* What all workers share. Made in open(), read by the workers at the same time: do not change it while they run. */
struct shared {
    const struct rl_host *host; /* the host's; valid until close() has returned */
    bool close_after;
};

/* What one worker uses alone. Made on that worker's own thread, so that its memory is near. */
struct self {
    struct shared *shared;
    char head[64];
    uint32_t head_len;
};

/* Control thread, once. Read and check here everything that may fail. Options lie in open->values, in the order of the table below,
 * already parsed and checked. Whatever is put into *shared comes back as the first argument of worker_open() and close(). If this
 * fails, say why in error->message: what was tried, on what, why it failed, what to do. Nothing else is called then. */
static int skeleton_open(const struct rl_open *open, void **shared, struct rl_error *error) {
    const struct rl_host *host = open->host;
    struct shared *s = host->alloc(host->self, sizeof *s, 0, 0);
    if (s == NULL) {
        (void)snprintf(error->message, sizeof error->message, "out of memory");
        return -1;
    }
    s->host = host;
    s->close_after = open->values[0].v.i != 0;
    *shared = s;
    return 0;
}

/* Each worker's thread, before the run. worker->index of worker->count says which part is this worker's. */
static int skeleton_worker_open(void *shared, const struct rl_worker *worker, void **self, struct rl_error *error) {
    struct shared *s = shared;
    struct self *me = s->host->alloc(s->host->self, sizeof *me, 0, worker->index);
    if (me == NULL) {
        (void)snprintf(error->message, sizeof error->message, "out of memory");
        return -1;
    }
    me->shared = s;
    me->head_len = (uint32_t)snprintf(me->head, sizeof me->head, "GET / HTTP/1.1\r\nHost: localhost\r\n%s\r\n",
                                      s->close_after ? "Connection: close\r\n" : "");
    *self = me;
    return 0;
}

/* HOT: the worker asks for up to max requests at a time. No system call, no lock, no allocation. The bytes stay ours and must not
 * change until the cookie comes back in recycle() - here they never change. Fields that are not needed are 0, but for due_ns. */
static int32_t skeleton_fill(void *self, struct rl_request *out, uint32_t max) {
    const struct self *me = self;
    for (uint32_t i = 0; i < max; ++i) {
        memset(&out[i], 0, sizeof out[i]);
        out[i].head = (const uint8_t *)me->head;
        out[i].head_len = me->head_len;
        out[i].due_ns = RL_DUE_NONE;
        out[i].flags = (uint16_t)(RL_REQUEST_IDEMPOTENT | (me->shared->close_after ? RL_REQUEST_CLOSE : 0u));
    }
    return (int32_t)max;
}

/* The worker's thread, after its last connection is closed. */
static void skeleton_worker_close(void *self) {
    struct self *me = self;
    me->shared->host->free(me->shared->host->self, me);
}

/* Control thread, last; only after an open() that succeeded. */
static void skeleton_close(void *shared) {
    struct shared *s = shared;
    s->host->free(s->host->self, s);
}

/* Given as --skeleton.close=BOOL. The host parses, checks the type and applies the default. */
static const struct rl_option skeleton_options[] = {
    {.name = "close", .metavar = "BOOL", .def = "false", .help = "a new connection for each request", .type = RL_OPTION_BOOL},
};

/* recycle() and responses() are optional and left out: nothing here needs to know when a request is over. */
static const struct rl_source_ops skeleton_ops = {
    .size = sizeof skeleton_ops,
    .flags = 0,
    .open = skeleton_open,
    .worker_open = skeleton_worker_open,
    .fill = skeleton_fill,
    .worker_close = skeleton_worker_close,
    .close = skeleton_close,
};

static const struct rl_plugin skeleton = {
    .size = sizeof skeleton,
    .abi_major = RL_ABI_MAJOR,
    .abi_minor = RL_ABI_MINOR,
    .kind = RL_KIND_SOURCE,
    .name = "skeleton",
    .version = "1.0",
    .summary = "GET / again and again",
    .license = "MIT OR Apache-2.0",
    .build = "",
    .options = skeleton_options,
    .option_count = sizeof skeleton_options / sizeof skeleton_options[0],
    .option_stride = sizeof skeleton_options[0],
    .ops = &skeleton_ops,
};

/* The one exported symbol. Several plug-ins in one object are counted up by index. */
const struct rl_plugin *ringload_plugin_v1(uint32_t index) { return index == 0 ? &skeleton : NULL; }
