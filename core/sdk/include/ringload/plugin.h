/* ringload/plugin.h - the C ABI between ringload and its plug-ins: request sources, pacers, reporters.
 *
 * A plug-in is a shared object that exports one symbol, ringload_plugin_v1(). It links against nothing of ringload; all it may know
 * stands here. C11, also valid C++17. Sizes and offsets are frozen for the major version and checked by tests/abi/layout_test.c.
 *
 * Rules that hold everywhere:
 *   Versions   abi_major must equal the host's; abi_minor must not exceed it. Structures passed by pointer begin with their size, and
 *              a reader uses a field only where RL_HAS() says that it is there. Fields are only appended; meanings never change.
 *   Errors     cold functions return 0, or non-zero with a sentence in the caller's rl_error. Hot functions return a code only.
 *   Threads    "control" is one thread of the host; "worker" is that worker's own pinned thread. Hot functions make no system
 *              call, take no lock and allocate nothing. No exception may leave a plug-in.
 *   Text       UTF-8; a name or string without a length is NUL-terminated. Times are nanoseconds.
 */
#ifndef RINGLOAD_PLUGIN_H
#define RINGLOAD_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RL_ABI_MAJOR 1
#define RL_ABI_MINOR 0

#if defined(_WIN32)
#define RL_EXPORT __declspec(dllexport)
#else
#define RL_EXPORT __attribute__((visibility("default")))
#endif

/* True if the structure behind ptr, by its own size, holds this field. */
#define RL_HAS(ptr, field) ((ptr)->size >= offsetof(__typeof__(*(ptr)), field) + sizeof((ptr)->field))

/* What went wrong, in a sentence: what was tried, on what, why it failed, what to do. The caller owns it; always terminated. */
struct rl_error {
    uint32_t size;
    int32_t code; /* the plug-in's own, or 0 */
    char message[248];
};

/* ---- options: the plug-in declares, the host parses and checks ------------------------------------------------------------- */

enum rl_option_type {
    RL_OPTION_BOOL = 0,     /* v.i is 0 or 1 */
    RL_OPTION_I64 = 1,      /* v.i, within min..max */
    RL_OPTION_U64 = 2,      /* v.u, within min..max */
    RL_OPTION_F64 = 3,      /* v.d */
    RL_OPTION_STRING = 4,   /* v.s, one of choices if there are any */
    RL_OPTION_DURATION = 5, /* "250us" "1.5s" "1h30m": v.i in nanoseconds, within min..max */
    RL_OPTION_SIZE = 6,     /* "64KiB": v.u in bytes, within min..max */
    RL_OPTION_RATE = 7      /* "1.2M" "30/m": v.d per second */
};
enum rl_option_flags {
    RL_OPTION_REQUIRED = 1u << 0,
    RL_OPTION_FILE = 1u << 1 /* a string that names a file: completed as such */
};
/* Static data. Names are of a-z 0-9 _ -. min and max bind the integer types; both 0 means any value. choices ends with NULL. */
struct rl_option {
    const char *name, *metavar, *def, *help; /* on the command line: --PLUGIN.NAME=VALUE; def is parsed like a given value */
    const char *const *choices;
    int64_t min, max;
    uint32_t type, flags;
};
/* One value per declared option, in the order of the table; owned by the host until the instance is closed. */
struct rl_value {
    uint32_t type, is_set; /* is_set 0: neither given nor defaulted */
    union {
        int64_t i;
        uint64_t u;
        double d;
        struct {
            const char *p; /* terminated as well */
            size_t n;
        } s;
    } v;
};

/* ---- what the host lends ----------------------------------------------------------------------------------------------------- */

struct rl_histogram; /* opaque; values in nanoseconds; valid during the call that handed it out */

enum rl_log_level { RL_LOG_ERROR = 0, RL_LOG_WARNING = 1, RL_LOG_INFO = 2, RL_LOG_DEBUG = 3 };

struct rl_host {
    uint32_t size;
    uint32_t abi_minor;
    void *self; /* first argument of all functions below */
    void (*log)(void *self, uint32_t level, const char *message);           /* cold, any thread; the plug-in's name is put in front */
    void *(*alloc)(void *self, size_t bytes, size_t align, uint32_t worker); /* cold; zeroed; near that worker; NULL if there is none */
    void (*free)(void *self, void *memory);
    uint64_t (*now_ns)(void *self); /* the run's clock: CLOCK_MONOTONIC or the virtual clock */
    uint64_t (*hist_count)(const struct rl_histogram *);
    uint64_t (*hist_min)(const struct rl_histogram *);
    uint64_t (*hist_max)(const struct rl_histogram *);
    double (*hist_mean)(const struct rl_histogram *);
    uint64_t (*hist_value_at)(const struct rl_histogram *, double percentile); /* 0..100 */
    /* Calls each(context, low, high, count) for every bucket that is not empty, ascending; the bucket holds low <= value < high. */
    void (*hist_each)(const struct rl_histogram *, void (*each)(void *context, uint64_t low, uint64_t high, uint64_t count), void *context);
};

struct rl_bytes {
    const uint8_t *p;
    size_t n;
};
struct rl_header {
    struct rl_bytes name, value;
};
/* What the command line says about requests. A source renders it, or takes from it what its own records leave open. */
struct rl_request_template {
    uint32_t size;
    uint32_t header_count;
    struct rl_bytes method;    /* "GET" */
    struct rl_bytes target;    /* path and query as they go on the wire: "/a?b=1" */
    struct rl_bytes authority; /* value for Host: "example.org:8080" */
    const struct rl_header *headers; /* in order; never Host, Content-Length or Connection */
    struct rl_bytes body;            /* n = 0 with p not NULL: an empty body was given */
    uint32_t close_after;            /* 1: each request asks for the end of its connection */
    uint32_t reserved;
};

struct rl_open {
    uint32_t size, worker_count;
    const struct rl_host *host;
    const struct rl_value *values; /* one for each declared option */
    uint32_t value_count;
    uint32_t pipeline_depth; /* most requests in flight on one connection */
    uint64_t seed;
    double rate;             /* requests per second asked for over all workers; 0: no rate */
    uint64_t requests_max;   /* requests of the whole run; 0: bounded by time only */
    uint64_t duration_ns;    /* 0: bounded by count only */
    const struct rl_request_template *request;
};
struct rl_worker {
    uint32_t size, index, count; /* worker index of count */
    uint32_t batch_max;          /* largest max that fill() will see */
    uint64_t seed;               /* differs for each worker */
    uint64_t start_ns;           /* now_ns() at which the run begins; 0 before it is known */
};

/* ---- request source ------------------------------------------------------------------------------------------------------------ */

enum rl_request_flags {
    RL_REQUEST_HEAD = 1u << 0,       /* the answer has no body whatever its length says (method HEAD) */
    RL_REQUEST_CLOSE = 1u << 1,      /* the connection is not used again after the answer */
    RL_REQUEST_IDEMPOTENT = 1u << 2, /* may be sent once more if its reused connection died unanswered (RFC 9110 9.2.2) */
    RL_REQUEST_CONNECT = 1u << 3     /* a 2xx answer has no body (method CONNECT) */
};
#define RL_DUE_NONE INT64_MIN

/* One request: finished HTTP/1.1 bytes which stay the source's and unchanged until the cookie comes back. 64 bytes, frozen. */
struct rl_request {
    const uint8_t *head, *body;
    uint32_t head_len, body_len;
    uint64_t cookie; /* comes back in recycle() and responses(), exactly once */
    int64_t due_ns;  /* TIMED sources: offset from the start of the run; else RL_DUE_NONE */
    uint32_t target; /* reserved for several targets: 0 */
    uint16_t klass;  /* class of the source's choice, for statistics per class; 0 if there are none */
    uint16_t flags;  /* rl_request_flags */
    uint64_t reserved[2];
};
/* One answer, frozen at 32 bytes. */
struct rl_response {
    uint64_t cookie;
    uint64_t body_bytes;
    uint64_t service_ns;
    uint16_t status; /* 0: the request failed in transport */
    uint16_t klass;
    uint32_t error; /* 0, or a number of the fixed list of transport errors */
};

#define RL_END (-1)  /* fill: this worker's requests are over */
#define RL_FAIL (-2) /* fill, grant: cannot go on; the run ends and reports what was measured */

enum rl_source_flags {
    RL_SOURCE_STATIC = 1u << 0,         /* the first batch is all there is: it is used over and over, nothing is recycled */
    RL_SOURCE_FINITE = 1u << 1,         /* fill will return RL_END one day */
    RL_SOURCE_TIMED = 1u << 2,          /* due_ns is set, non-decreasing */
    RL_SOURCE_WANTS_RESPONSES = 1u << 3 /* responses() is to be called */
};
struct rl_source_ops {
    uint32_t size, flags;
    /* control: read and check everything that needs no worker; *shared goes to the others */
    int (*open)(const struct rl_open *, void **shared, struct rl_error *);
    /* worker, before the run: what this worker alone uses */
    int (*worker_open)(void *shared, const struct rl_worker *, void **self, struct rl_error *);
    /* worker, HOT: writes n <= max requests and returns n; 0 = nothing now, ask next turn; RL_END; RL_FAIL */
    int32_t (*fill)(void *self, struct rl_request *out, uint32_t max);
    /* worker, HOT, may be NULL: these requests are over, their bytes are the source's again */
    void (*recycle)(void *self, const uint64_t *cookies, uint32_t n);
    /* worker, HOT, may be NULL: answers in the order in which they came, before their cookies are recycled */
    void (*responses)(void *self, const struct rl_response *in, uint32_t n);
    void (*worker_close)(void *self); /* worker, after its last connection is closed */
    void (*close)(void *shared);      /* control, last */
};

/* ---- pacer --------------------------------------------------------------------------------------------------------------------- */

enum rl_pacer_flags {
    RL_PACER_UNLIMITED = 1u << 0,  /* send whenever a connection is free; grant is never called and may be NULL */
    RL_PACER_FROM_SOURCE = 1u << 1 /* the source's due_ns are the schedule; grant is never called and may be NULL */
};
struct rl_pacer_ops {
    uint32_t size, flags;
    int (*open)(const struct rl_open *, void **shared, struct rl_error *);
    /* worker, before the run; twice for the same index where there is a warm-up, which has a timeline of its own */
    int (*worker_open)(void *shared, const struct rl_worker *, void **self, struct rl_error *);
    /* worker, HOT: writes intended start times, non-decreasing and <= now_ns, and returns how many; *next_ns is when to ask again
     * (INT64_MAX: never). All times are offsets from the start. Worker w of W owns the slots k = w mod W of one global timeline. */
    int32_t (*grant)(void *self, uint64_t now_ns, uint64_t *due_ns, uint32_t max, uint64_t *next_ns);
    /* worker, after the run: how many slots this worker owned before end_ns (an offset), granted or not */
    uint64_t (*scheduled)(void *self, uint64_t end_ns); /* may be NULL where grant may */
    void (*worker_close)(void *self);
    void (*close)(void *shared);
};

/* ---- reporter ------------------------------------------------------------------------------------------------------------------ */

enum rl_node_type {
    RL_NODE_NULL = 0,
    RL_NODE_BOOL = 1,
    RL_NODE_I64 = 2,
    RL_NODE_U64 = 3,
    RL_NODE_F64 = 4, /* always finite */
    RL_NODE_STRING = 5,
    RL_NODE_ARRAY = 6,
    RL_NODE_OBJECT = 7,
    RL_NODE_HISTOGRAM = 8
};
/* The data model of a run is a tree of these: immutable, keys in a fixed order (the installed JSON schema lists them). 40 bytes, frozen. */
struct rl_node {
    const char *key; /* NULL in arrays and at the root */
    uint32_t type;   /* rl_node_type */
    uint32_t count;  /* members of an array or object */
    union {
        int64_t i; /* BOOL: 0 or 1 */
        uint64_t u;
        double d;
        struct {
            const char *p; /* valid UTF-8, not terminated */
            size_t n;
        } s;
        const struct rl_node *items;
        const struct rl_histogram *histogram;
    } v;
    const char *unit; /* "ms" "bytes" "per_second" or NULL */
};
/* One reporter writes one output, through write(); it never opens a file itself. */
struct rl_output {
    uint32_t size;
    uint32_t is_terminal; /* 1: a person is looking; colour only if color is 1 */
    uint32_t color;
    uint32_t width; /* columns; 0 if not known */
    void *self;
    int (*write)(void *self, const char *text, size_t n); /* 0, or non-zero if the output is broken */
};
struct rl_report {
    uint32_t size;
    uint32_t is_final;
    const struct rl_node *root; /* begin: what will run; sample: one interval; end: everything */
    const struct rl_output *out;
    const struct rl_host *host;
};
struct rl_reporter_ops {
    uint32_t size, flags;
    int (*open)(const struct rl_open *, void **self, struct rl_error *);
    int (*begin)(void *self, const struct rl_report *, struct rl_error *);  /* may be NULL */
    int (*sample)(void *self, const struct rl_report *, struct rl_error *); /* may be NULL; once a second */
    int (*end)(void *self, const struct rl_report *, struct rl_error *);
    void (*close)(void *self);
};

/* ---- the descriptor -------------------------------------------------------------------------------------------------------------- */

enum rl_plugin_kind { RL_KIND_SOURCE = 1, RL_KIND_PACER = 2, RL_KIND_REPORTER = 3 };

struct rl_plugin {
    uint32_t size;
    uint16_t abi_major, abi_minor;
    uint32_t kind, flags;
    const char *name, *version, *summary, *license, *build; /* never NULL; name: [a-z0-9_]+, as in librl_KIND_NAME.so */
    const struct rl_option *options;
    uint32_t option_count, option_stride; /* stride = sizeof(struct rl_option) of the plug-in's header */
    const void *ops;                      /* rl_source_ops, rl_pacer_ops or rl_reporter_ops */
};

/* The one exported symbol. index counts from 0; NULL ends the enumeration. No side effects: it is called without a host as well. */
RL_EXPORT const struct rl_plugin *ringload_plugin_v1(uint32_t index);

#ifdef __cplusplus
}
#endif

#endif
