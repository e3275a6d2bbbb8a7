#include "core/module/plugin_instance.hpp"

#include <cstring>
#include <type_traits>

namespace rl::module {
namespace {

rl_bytes bytes_of(std::string_view text) noexcept { return {reinterpret_cast<const uint8_t*>(text.data()), text.size()}; }

template <class Ops>
const Ops& ops_of(const LoadedPlugin& plugin) {
    if constexpr (std::is_same_v<Ops, rl_source_ops>) return plugin.source();
    if constexpr (std::is_same_v<Ops, rl_pacer_ops>) return plugin.pacer();
    if constexpr (std::is_same_v<Ops, rl_reporter_ops>) return plugin.reporter();
}

// "source static_url": who is being opened, for messages.
std::string title(const LoadedPlugin& plugin) {
    return std::string(kind_name(static_cast<Kind>(plugin.plugin->kind))) + " " + plugin.plugin->name;
}

}  // namespace

rl_error empty_error() noexcept {
    rl_error error{};
    error.size = sizeof error;
    return error;
}

std::string error_text(const rl_error& error) {
    std::string text(error.message, ::strnlen(error.message, sizeof error.message));
    if (!text.empty()) return text;
    return error.code == 0 ? "it gives no reason" : "it gives no reason but the code " + std::to_string(error.code);
}

OpenInfo::OpenInfo(const engine::RunSpec& spec, const rl_host* host, const BoundOptions& options) {
    headers_.reserve(spec.request.headers.size());
    for (const auto& [name, value] : spec.request.headers) headers_.push_back({bytes_of(name), bytes_of(value)});
    request_.size = sizeof request_;
    request_.header_count = static_cast<uint32_t>(headers_.size());
    request_.method = bytes_of(spec.request.method);
    request_.target = bytes_of(spec.request.target);
    request_.authority = bytes_of(spec.request.authority);
    request_.headers = headers_.data();
    if (spec.request.has_body) request_.body = bytes_of(spec.request.body);
    request_.close_after = spec.request.close_after ? 1 : 0;

    open_.size = sizeof open_;
    open_.worker_count = spec.workers;
    open_.host = host;
    open_.values = options.data();
    open_.value_count = options.count();
    open_.pipeline_depth = spec.pipeline;
    open_.seed = spec.seed;
    open_.rate = spec.rate;
    open_.requests_max = spec.requests;
    open_.duration_ns = static_cast<uint64_t>(spec.duration);
    open_.request = &request_;
}

template <class Ops>
Result<PluginInstance<Ops>> PluginInstance<Ops>::open(const LoadedPlugin& plugin, const rl_open& open) {
    const Ops& ops = ops_of<Ops>(plugin);
    rl_error error = empty_error();
    void* shared = nullptr;
    // The ABI forbids exceptions to leave a plug-in. The cold entry is guarded all the same: a sentence is worth more than a crash.
    try {
        if (ops.open(&open, &shared, &error) == 0) return PluginInstance(&ops, shared);
    } catch (...) {
        return failure(Error::plugin, title(plugin) +
                                          ": open() let an exception escape, which the plug-in ABI forbids; report it to the "
                                          "author of " +
                                          plugin.path);
    }
    return failure(Error::plugin, title(plugin) + ": " + error_text(error));
}

template <class Ops>
PluginInstance<Ops>::~PluginInstance() {
    if (ops_ != nullptr) ops_->close(shared_);
}

template class PluginInstance<rl_source_ops>;
template class PluginInstance<rl_pacer_ops>;
template class PluginInstance<rl_reporter_ops>;

}  // namespace rl::module
