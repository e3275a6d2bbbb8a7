/* A reporter as someone outside would write it: the whole report is one line. */
#include <stdio.h>
#include <string.h>

#include "ringload/plugin.h"

/* The member of an object, or NULL. */
static const struct rl_node *member(const struct rl_node *object, const char *key) {
    if (object == NULL || object->type != RL_NODE_OBJECT) return NULL;
    for (uint32_t i = 0; i < object->count; ++i) {
        if (strcmp(object->v.items[i].key, key) == 0) return &object->v.items[i];
    }
    return NULL;
}
static unsigned long long number(const struct rl_node *node) {
    return node != NULL && (node->type == RL_NODE_U64 || node->type == RL_NODE_I64) ? (unsigned long long)node->v.u : 0;
}

static int line_open(const struct rl_open *open, void **self, struct rl_error *error) {
    (void)open;
    (void)error;
    *self = NULL;
    return 0;
}
static int line_end(void *self, const struct rl_report *report, struct rl_error *error) {
    const struct rl_node *summary = member(report->root, "summary");
    char text[96];
    const int n = snprintf(text, sizeof text, "out of tree: %llu requests, %llu ok\n", number(member(summary, "requests")),
                           number(member(summary, "ok")));
    (void)self;
    if (report->out->write(report->out->self, text, (size_t)n) == 0) return 0;
    (void)snprintf(error->message, sizeof error->message, "cannot write the line");
    return -1;
}
static void line_close(void *self) { (void)self; }

static const struct rl_reporter_ops ops = {.size = sizeof ops, .open = line_open, .end = line_end, .close = line_close};
static const struct rl_plugin plugin = {
    .size = sizeof plugin,
    .abi_major = RL_ABI_MAJOR,
    .abi_minor = RL_ABI_MINOR,
    .kind = RL_KIND_REPORTER,
    .name = "oot_line",
    .version = "1.0",
    .summary = "one line",
    .license = "MIT",
    .build = "",
    .ops = &ops,
};

const struct rl_plugin *ringload_plugin_v1(uint32_t index) { return index == 0 ? &plugin : NULL; }
