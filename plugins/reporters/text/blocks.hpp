// The blocks of the report, in the order in which they stand on the page. Each writes nothing if it does not apply to this run.
#pragma once

#include "reporters/text/page.hpp"
#include "ringload/plugin.h"

namespace rl::plugins::text {

void write_heading(Page& page, const rl_node& root);
void write_throughput(Page& page, const rl_node& root);
void write_latency(Page& page, const rl_node& root);
void write_distribution(Page& page, const rl_node& root);
void write_schedule(Page& page, const rl_node& root);
void write_outcomes(Page& page, const rl_node& root);  // statuses, transport errors, connections
void write_audit(Page& page, const rl_node& root);
void write_verdict(Page& page, const rl_node& root);

}  // namespace rl::plugins::text
