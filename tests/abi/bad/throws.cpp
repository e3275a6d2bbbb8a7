// C++ without the wrapper: an exception comes out of open().
#include <stdexcept>

extern "C" {
#include "good.h"
}

namespace {
int throwing_open(const rl_open*, void**, rl_error*) { throw std::runtime_error("nobody sees this"); }
rl_source_ops ops;
rl_plugin plugin;
}  // namespace

const rl_plugin* ringload_plugin_v1(uint32_t index) {
    ops = good_source_ops();
    ops.open = throwing_open;
    plugin = good_plugin(RL_KIND_SOURCE, "throws", &ops);
    return index == 0 ? &plugin : nullptr;
}
