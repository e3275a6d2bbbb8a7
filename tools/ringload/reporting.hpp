// The reporters of one run and what they write to. Control thread.
//
// A reporter that fails does not end the run: it is complained of once, and the exit code says so.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/engine/run_result.hpp"
#include "core/report/model.hpp"
#include "tools/ringload/output.hpp"
#include "tools/ringload/parts.hpp"
#include "tools/ringload/plan.hpp"

namespace rl::cli {

class Reporting {
  public:
    // Checks every output and opens every reporter, all before traffic. BORROWS plan and plugins for its life.
    static Result<std::unique_ptr<Reporting>> open(const Plan& plan, RunPlugins& plugins, std::string tool_version);
    Reporting(const Reporting&) = delete;
    Reporting& operator=(const Reporting&) = delete;

    void begin(const engine::RunResult& so_far);
    void sample(const engine::Sample& interval);
    // The final reports. False if anything could not be reported where it should have been.
    bool end(const report::RunReport& report);

  private:
    struct Entry {
        std::string what;  // "-O out.json", for complaints; "": standard output, which names itself
        LoadedPart* part = nullptr;
        std::unique_ptr<Output> output;
        std::unique_ptr<module::ReporterInstance> instance;
        bool broken = false;
    };
    explicit Reporting(std::string tool_version) : tool_version_(std::move(tool_version)) {}

    Result<void> add(const Plan& plan, std::string what, LoadedPart& part, std::unique_ptr<Output> output);
    using Step = int (*)(void*, const rl_report*, rl_error*);
    void call(Entry& entry, Step step, const rl_node* root, bool is_final);
    void complain_once(Entry& entry, const std::string& why);

    std::string tool_version_;
    std::vector<Entry> entries_;
};

}  // namespace rl::cli
