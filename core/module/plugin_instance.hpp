// An opened plug-in: open() in the constructor's place, close() in the destructor's. Control thread only.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "core/engine/run_spec.hpp"
#include "core/module/option_binding.hpp"
#include "core/module/plugin_loader.hpp"
#include "ringload/plugin.h"

namespace rl::module {

// The rl_open of one plug-in, made from a resolved run. BORROWS the run, the host and the options: all must outlive the instance.
class OpenInfo {
  public:
    OpenInfo(const engine::RunSpec& spec, const rl_host* host, const BoundOptions& options);
    OpenInfo(const OpenInfo&) = delete;
    OpenInfo& operator=(const OpenInfo&) = delete;

    const rl_open& get() const noexcept { return open_; }

  private:
    std::vector<rl_header> headers_;
    rl_request_template request_{};
    rl_open open_{};
};

// Ops is rl_source_ops, rl_pacer_ops or rl_reporter_ops. Moves, never copies; close() is called exactly once, and only after an
// open() that succeeded.
template <class Ops>
class PluginInstance {
  public:
    static Result<PluginInstance> open(const LoadedPlugin& plugin, const rl_open& open);
    PluginInstance(PluginInstance&& other) noexcept
        : ops_(std::exchange(other.ops_, nullptr)), shared_(std::exchange(other.shared_, nullptr)) {}
    PluginInstance& operator=(PluginInstance&& other) noexcept {
        std::swap(ops_, other.ops_);
        std::swap(shared_, other.shared_);
        return *this;
    }
    ~PluginInstance();

    const Ops& ops() const noexcept { return *ops_; }
    void* shared() const noexcept { return shared_; }  // what open() left: the first argument of worker_open(), begin(), ...

  private:
    PluginInstance(const Ops* ops, void* shared) noexcept : ops_(ops), shared_(shared) {}
    const Ops* ops_;
    void* shared_;
};
using SourceInstance = PluginInstance<rl_source_ops>;
using PacerInstance = PluginInstance<rl_pacer_ops>;
using ReporterInstance = PluginInstance<rl_reporter_ops>;
extern template class PluginInstance<rl_source_ops>;
extern template class PluginInstance<rl_pacer_ops>;
extern template class PluginInstance<rl_reporter_ops>;

// An rl_error ready to be handed out, and the sentence in one that came back.
rl_error empty_error() noexcept;
std::string error_text(const rl_error& error);

}  // namespace rl::module
