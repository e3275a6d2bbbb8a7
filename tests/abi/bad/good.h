/* A source and a pacer without fault, from which each file in this folder departs in one point. */
#ifndef RINGLOAD_TESTS_ABI_BAD_GOOD_H
#define RINGLOAD_TESTS_ABI_BAD_GOOD_H

#include <stddef.h>
#include <string.h>

#include "ringload/plugin.h"

static const uint8_t good_head[] = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n";
static int good_place; /* something to point at */

static inline int good_open(const struct rl_open *open, void **shared, struct rl_error *error) {
    (void)open;
    (void)error;
    *shared = &good_place;
    return 0;
}
static inline int good_worker_open(void *shared, const struct rl_worker *worker, void **self, struct rl_error *error) {
    (void)worker;
    (void)error;
    *self = shared;
    return 0;
}
static inline void good_close(void *it) { (void)it; }
static inline void good_request(struct rl_request *out) {
    memset(out, 0, sizeof *out);
    out->head = good_head;
    out->head_len = sizeof good_head - 1;
    out->due_ns = RL_DUE_NONE;
}
static inline int32_t good_fill(void *self, struct rl_request *out, uint32_t max) {
    (void)self;
    for (uint32_t i = 0; i < max; ++i) good_request(&out[i]);
    return (int32_t)max;
}
/* Nothing is ever due. */
static inline int32_t good_grant(void *self, uint64_t now_ns, uint64_t *due_ns, uint32_t max, uint64_t *next_ns) {
    (void)self;
    (void)now_ns;
    (void)due_ns;
    (void)max;
    *next_ns = INT64_MAX;
    return 0;
}
static inline uint64_t good_scheduled(void *self, uint64_t end_ns) {
    (void)self;
    (void)end_ns;
    return 0;
}

static inline struct rl_source_ops good_source_ops(void) {
    struct rl_source_ops ops = {sizeof ops, 0, good_open, good_worker_open, good_fill, NULL, NULL, good_close, good_close};
    return ops;
}
static inline struct rl_pacer_ops good_pacer_ops(void) {
    struct rl_pacer_ops ops = {sizeof ops, 0, good_open, good_worker_open, good_grant, good_scheduled, good_close, good_close};
    return ops;
}
static inline struct rl_plugin good_plugin(uint32_t kind, const char *name, const void *ops) {
    struct rl_plugin plugin = {sizeof plugin, RL_ABI_MAJOR, RL_ABI_MINOR, kind, 0,   name, "1.0", "a plug-in with one fault",
                               "MIT",         "",           NULL,         0,    0,   ops};
    return plugin;
}

/* Declares what every file needs and defines the entry, which calls spoil(). */
#define BAD_SOURCE(NAME)                                                  \
    static struct rl_source_ops ops;                                      \
    static struct rl_plugin plugin;                                       \
    static void spoil(void);                                              \
    const struct rl_plugin *ringload_plugin_v1(uint32_t index) {          \
        if (index != 0) return NULL;                                      \
        ops = good_source_ops();                                          \
        plugin = good_plugin(RL_KIND_SOURCE, NAME, &ops);                 \
        spoil();                                                          \
        return &plugin;                                                   \
    }
#define BAD_PACER(NAME)                                                   \
    static struct rl_pacer_ops ops;                                       \
    static struct rl_plugin plugin;                                       \
    static void spoil(void);                                              \
    const struct rl_plugin *ringload_plugin_v1(uint32_t index) {          \
        if (index != 0) return NULL;                                      \
        ops = good_pacer_ops();                                           \
        plugin = good_plugin(RL_KIND_PACER, NAME, &ops);                  \
        spoil();                                                          \
        return &plugin;                                                   \
    }

#endif
