// The settings of a run as nodes: `config`, and its member `effective`, which --dump-config prints alone.
#pragma once

#include "core/engine/run_spec.hpp"
#include "core/report/node_builder.hpp"

namespace rl::report {

// Every setting that shapes the run. Values of headers that carry credentials, and a password in the URL, are shown as "***".
rl_node effective_node(NodeBuilder& b, const char* key, const engine::RunSpec& spec);
rl_node config_node(NodeBuilder& b, const engine::RunSpec& spec);
rl_node mode_node(NodeBuilder& b, const engine::RunSpec& spec);  // "duration" "requests" "both", or null: the source decides

}  // namespace rl::report
