/* Two plug-ins of one kind and name. */
#include "good.h"

static struct rl_source_ops ops;
static struct rl_plugin plugin;

const struct rl_plugin *ringload_plugin_v1(uint32_t index) {
    ops = good_source_ops();
    plugin = good_plugin(RL_KIND_SOURCE, "twice", &ops);
    return index < 2 ? &plugin : NULL;
}
