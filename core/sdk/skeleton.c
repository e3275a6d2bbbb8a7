/* skeleton.c - the smallest complete request source, every function explained: the request of the command line, again and again.
 *
 * Copy it, and write the name of your own for "skeleton" everywhere, in the names of files as well: ringload finds NAME in
 * librl_source_NAME.so.
 *
 *   sed s/skeleton/mine/g skeleton.c > mine.c
 *   cc -std=c11 -O2 -fPIC -fvisibility=hidden -shared $(pkg-config --cflags ringload-plugin) mine.c -o librl_source_mine.so
 *   rl-plugin-check ./librl_source_mine.so
 *   ringload --plugin-path . --source mine -X PUT --data a=1 http://127.0.0.1:8080/path
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
    uint32_t head_len, body_len;
    uint16_t flags;
    char *request; /* head, then body */
};

/* What one worker uses alone. Made on that worker's own thread, so that its memory is near. */
struct self {
    struct shared *shared;
    uint8_t *request;
};

/* A text that grows; without a place it is only measured. */
struct text {
    char *at;
    size_t used;
};
static void put(struct text *text, const void *bytes, size_t n) {
    if (text->at != NULL && n != 0) memcpy(text->at + text->used, bytes, n);
    text->used += n;
}
static void put_words(struct text *text, const char *words) { put(text, words, strlen(words)); }
static void put_bytes(struct text *text, struct rl_bytes bytes) { put(text, bytes.p, bytes.n); }

/* What the command line says about requests, as HTTP/1.1. Host, Content-Length and Connection are never among its header fields. */
static void put_head(struct text *text, const struct rl_request_template *from, bool close_after) {
    put_bytes(text, from->method);
    put_words(text, " ");
    put_bytes(text, from->target);
    put_words(text, " HTTP/1.1\r\nHost: ");
    put_bytes(text, from->authority);
    for (uint32_t i = 0; i < from->header_count; ++i) {
        put_words(text, "\r\n");
        put_bytes(text, from->headers[i].name);
        put_words(text, ": ");
        put_bytes(text, from->headers[i].value);
    }
    if (from->body.p != NULL) { /* also a body that is empty */
        char length[40];
        (void)snprintf(length, sizeof length, "\r\nContent-Length: %zu", from->body.n);
        put_words(text, length);
    }
    if (close_after) put_words(text, "\r\nConnection: close");
    put_words(text, "\r\n\r\n");
}

static bool is(struct rl_bytes bytes, const char *words) { return bytes.n == strlen(words) && memcmp(bytes.p, words, bytes.n) == 0; }

/* What the engine must know of a request besides its bytes. */
static uint16_t flags_of(struct rl_bytes method, bool close_after) {
    unsigned flags = close_after ? RL_REQUEST_CLOSE : 0u;
    if (is(method, "HEAD")) flags |= RL_REQUEST_HEAD;
    if (is(method, "GET") || is(method, "HEAD") || is(method, "PUT") || is(method, "DELETE")) flags |= RL_REQUEST_IDEMPOTENT;
    return (uint16_t)flags;
}

/* Control thread, once. Read and check here everything that may fail. Options lie in open->values, in the order of the table below,
 * already parsed and checked. open->request lives only until this function returns, so that it is copied. Whatever is put into
 * *shared comes back as the first argument of worker_open() and close(). If this fails, say why in error->message: what was tried, on
 * what, why it failed, what to do. Nothing else is called then, and what was allocated must be given back here. */
static int skeleton_open(const struct rl_open *open, void **shared, struct rl_error *error) {
    const struct rl_host *host = open->host;
    const struct rl_request_template *from = open->request;
    const bool close_after = from->close_after != 0 || open->values[0].v.i != 0;
    struct text text = {NULL, 0};
    put_head(&text, from, close_after);
    const size_t head_len = text.used;
    struct shared *s = host->alloc(host->self, sizeof *s, 0, 0);
    char *request = host->alloc(host->self, head_len + from->body.n, 0, 0);
    if (s == NULL || request == NULL || head_len + from->body.n > UINT32_MAX) {
        host->free(host->self, request);
        host->free(host->self, s);
        (void)snprintf(error->message, sizeof error->message, "no memory for a request of %zu bytes; send a smaller one",
                       head_len + from->body.n);
        return -1;
    }
    text = (struct text){request, 0};
    put_head(&text, from, close_after);
    put_bytes(&text, from->body);
    *s = (struct shared){host, (uint32_t)head_len, (uint32_t)from->body.n, flags_of(from->method, close_after), request};
    *shared = s;
    return 0;
}

/* Each worker's thread, before the run. worker->index of worker->count says which part is this worker's. */
static int skeleton_worker_open(void *shared, const struct rl_worker *worker, void **self, struct rl_error *error) {
    struct shared *s = shared;
    const size_t size = (size_t)s->head_len + s->body_len;
    struct self *me = s->host->alloc(s->host->self, sizeof *me + size, 0, worker->index);
    if (me == NULL) {
        (void)snprintf(error->message, sizeof error->message, "no memory for a worker's request of %zu bytes; send a smaller one", size);
        return -1;
    }
    me->shared = s;
    me->request = (uint8_t *)(me + 1);
    memcpy(me->request, s->request, size);
    *self = me;
    return 0;
}

/* HOT: the worker asks for up to max requests at a time. No system call, no lock, no allocation. The bytes stay ours and must not
 * change until the cookie comes back in recycle() - here they never change. Fields that are not needed are 0, but for due_ns. */
static int32_t skeleton_fill(void *self, struct rl_request *out, uint32_t max) {
    const struct self *me = self;
    const struct shared *s = me->shared;
    for (uint32_t i = 0; i < max; ++i) {
        memset(&out[i], 0, sizeof out[i]);
        out[i].head = me->request;
        out[i].head_len = s->head_len;
        out[i].body = s->body_len == 0 ? NULL : me->request + s->head_len;
        out[i].body_len = s->body_len;
        out[i].due_ns = RL_DUE_NONE;
        out[i].flags = s->flags;
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
    const struct rl_host *host = s->host;
    host->free(host->self, s->request);
    host->free(host->self, s);
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
    .summary = "the request of the command line, again and again",
    .license = "MIT OR Apache-2.0",
    .build = "",
    .options = skeleton_options,
    .option_count = sizeof skeleton_options / sizeof skeleton_options[0],
    .option_stride = sizeof skeleton_options[0],
    .ops = &skeleton_ops,
};

/* The one exported symbol. Several plug-ins in one object are counted up by index. */
const struct rl_plugin *ringload_plugin_v1(uint32_t index) { return index == 0 ? &skeleton : NULL; }
