/* Its enumeration never ends. */
#include <stdio.h>

#include "good.h"

static struct rl_source_ops ops;
static struct rl_plugin plugins[100];
static char names[100][16];

const struct rl_plugin *ringload_plugin_v1(uint32_t index) {
    const uint32_t i = index % 100;
    ops = good_source_ops();
    (void)snprintf(names[i], sizeof names[i], "endless_%u", (unsigned)i);
    plugins[i] = good_plugin(RL_KIND_SOURCE, names[i], &ops);
    return &plugins[i];
}
