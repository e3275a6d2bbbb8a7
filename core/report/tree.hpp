// The model as reporters see it: an immutable tree of rl_node, whose keys and order the installed JSON schema lists.
//
// Control thread. A tree owns its nodes and strings; nodes of type HISTOGRAM point into the RunResult, which must outlive it. The same
// object stands behind rl_histogram in the host table: a stats::Histogram.
#pragma once

#include <memory>

#include "core/engine/run_result.hpp"
#include "core/report/model.hpp"
#include "core/report/node_builder.hpp"

namespace rl::report {

class ReportTree {
  public:
    static ReportTree begin(const engine::RunResult& so_far, const Context& context);  // schema_version tool title mode config
    static ReportTree sample(const engine::Sample& interval);                          // one row of `series`
    static ReportTree end(const RunReport& report);                                    // everything
    static ReportTree effective(const engine::RunSpec& spec);                          // what --dump-config prints

    const rl_node* root() const noexcept { return root_; }

  private:
    ReportTree() : nodes_(std::make_unique<NodeBuilder>()) {}

    std::unique_ptr<NodeBuilder> nodes_;
    const rl_node* root_ = nullptr;  // BORROWS: from nodes_
};

}  // namespace rl::report
