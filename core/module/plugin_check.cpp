#include "core/module/plugin_check.hpp"

#include <algorithm>
#include <string>
#include <string_view>

#include "core/module/option_binding.hpp"
#include "core/module/search_path.hpp"

namespace rl::module {
namespace {

// Sizes in ABI 1.0: the least that any plug-in of this major version has. Fields that later minor versions append are optional.
constexpr uint32_t kPluginSize = 80, kSourceOpsSize = 64, kPacerOpsSize = 56, kReporterOpsSize = 48;
static_assert(sizeof(rl_plugin) >= kPluginSize && sizeof(rl_source_ops) >= kSourceOpsSize);
static_assert(sizeof(rl_pacer_ops) >= kPacerOpsSize && sizeof(rl_reporter_ops) >= kReporterOpsSize);

constexpr std::string_view kRebuild = "; rebuild it with the ringload/plugin.h of ABI ";

std::string version(uint32_t major, uint32_t minor) { return std::to_string(major) + "." + std::to_string(minor); }
std::string host_version() { return version(RL_ABI_MAJOR, RL_ABI_MINOR); }
std::string bytes(uint32_t n) { return std::to_string(n) + " bytes"; }

// A fault that only the plug-in's author can mend.
Failure fault(std::string what) { return failure(Error::plugin, std::move(what) + "; report it to the author of the plug-in"); }

Result<void> check_versions(const rl_plugin& plugin) {
    const std::string theirs = version(plugin.abi_major, plugin.abi_minor);
    if (plugin.abi_major != RL_ABI_MAJOR) {
        return failure(Error::plugin, "it speaks plug-in ABI " + theirs + " and this ringload speaks " + host_version() +
                                          std::string(kRebuild) + version(RL_ABI_MAJOR, RL_ABI_MINOR) + ", or use a ringload of ABI " +
                                          std::to_string(plugin.abi_major));
    }
    if (plugin.abi_minor > RL_ABI_MINOR) {
        return failure(Error::plugin, "it needs plug-in ABI " + theirs + " and this ringload offers " + host_version() +
                                          "; use a newer ringload, or rebuild it with the ringload/plugin.h of ABI " + host_version());
    }
    return {};
}

Result<void> check_name(const char* name) {
    const std::string_view text = name;
    const bool fit = !text.empty() && text.size() <= 64 && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
    });
    if (!fit) return fault("its name \"" + std::string(text) + "\" is not made of a-z 0-9 _ alone");
    return {};
}

// One function of a table: NULL is a fault unless it is optional.
struct Op {
    const char* name;
    bool present;
};
Result<void> check_ops_present(std::string_view kind, std::initializer_list<Op> ops) {
    for (const Op& op : ops) {
        if (!op.present) return fault("its table of " + std::string(kind) + " functions has NULL for " + op.name + "()");
    }
    return {};
}

Result<void> check_ops_head(std::string_view kind, const uint32_t* head, uint32_t size_min, uint32_t flags_known) {
    if (head[0] < size_min) {
        return fault("its table of " + std::string(kind) + " functions has " + bytes(head[0]) + ", ABI " + version(RL_ABI_MAJOR, 0) +
                     " has " + bytes(size_min));
    }
    if ((head[1] & ~flags_known) != 0) {
        return fault("its table of " + std::string(kind) + " functions has flags that ABI " + host_version() + " does not know");
    }
    return {};
}

Result<void> check_source(const rl_source_ops& ops) {
    RL_TRY(check_ops_head("source", &ops.size, kSourceOpsSize,
                          RL_SOURCE_STATIC | RL_SOURCE_FINITE | RL_SOURCE_TIMED | RL_SOURCE_WANTS_RESPONSES));
    RL_TRY(check_ops_present("source", {{"open", ops.open != nullptr},
                                        {"worker_open", ops.worker_open != nullptr},
                                        {"fill", ops.fill != nullptr},
                                        {"worker_close", ops.worker_close != nullptr},
                                        {"close", ops.close != nullptr}}));
    if ((ops.flags & RL_SOURCE_WANTS_RESPONSES) != 0 && ops.responses == nullptr) {
        return fault("it sets RL_SOURCE_WANTS_RESPONSES and has NULL for responses()");
    }
    if ((ops.flags & RL_SOURCE_STATIC) != 0 && (ops.flags & (RL_SOURCE_FINITE | RL_SOURCE_TIMED)) != 0) {
        return fault("it sets RL_SOURCE_STATIC, which excludes RL_SOURCE_FINITE and RL_SOURCE_TIMED");
    }
    return {};
}

Result<void> check_pacer(const rl_pacer_ops& ops) {
    RL_TRY(check_ops_head("pacer", &ops.size, kPacerOpsSize, RL_PACER_UNLIMITED | RL_PACER_FROM_SOURCE));
    const bool passive = ops.flags != 0;
    RL_TRY(check_ops_present("pacer", {{"open", ops.open != nullptr},
                                       {"worker_open", ops.worker_open != nullptr},
                                       {"grant", passive || ops.grant != nullptr},
                                       {"scheduled", passive || ops.scheduled != nullptr},
                                       {"worker_close", ops.worker_close != nullptr},
                                       {"close", ops.close != nullptr}}));
    if (ops.flags == (RL_PACER_UNLIMITED | RL_PACER_FROM_SOURCE)) {
        return fault("it sets both RL_PACER_UNLIMITED and RL_PACER_FROM_SOURCE");
    }
    return {};
}

Result<void> check_reporter(const rl_reporter_ops& ops) {
    RL_TRY(check_ops_head("reporter", &ops.size, kReporterOpsSize, 0));
    return check_ops_present("reporter", {{"open", ops.open != nullptr}, {"end", ops.end != nullptr}, {"close", ops.close != nullptr}});
}

Result<void> check_ops(const rl_plugin& plugin) {
    if (plugin.ops == nullptr) return fault("its descriptor has NULL for ops");
    switch (plugin.kind) {
        case RL_KIND_SOURCE:
            return check_source(*static_cast<const rl_source_ops*>(plugin.ops));
        case RL_KIND_PACER:
            return check_pacer(*static_cast<const rl_pacer_ops*>(plugin.ops));
        default:
            return check_reporter(*static_cast<const rl_reporter_ops*>(plugin.ops));
    }
}

}  // namespace

Result<void> check_descriptor(const rl_plugin& plugin) {
    if (plugin.size < offsetof(rl_plugin, kind)) return fault("its descriptor has " + bytes(plugin.size) + " and no room for a version");
    RL_TRY(check_versions(plugin));
    if (plugin.size < kPluginSize) {
        return fault("its descriptor has " + bytes(plugin.size) + ", ABI " + version(RL_ABI_MAJOR, 0) + " has " + bytes(kPluginSize));
    }
    if (plugin.kind < RL_KIND_SOURCE || plugin.kind > RL_KIND_REPORTER) {
        return fault("its descriptor has the unknown kind " + std::to_string(plugin.kind));
    }
    if (plugin.flags != 0) return fault("its descriptor has flags that ABI " + host_version() + " does not know");
    for (const char* text : {plugin.name, plugin.version, plugin.summary, plugin.license, plugin.build}) {
        if (text == nullptr) return fault("its descriptor has NULL for name, version, summary, license or build");
    }
    RL_TRY(check_name(plugin.name));
    RL_TRY(check_ops(plugin));
    if (auto table = check_table(table_of(plugin)); !table) return fault(std::move(table).error().text);
    return {};
}

}  // namespace rl::module
