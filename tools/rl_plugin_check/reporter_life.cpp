// A reporter's short life: once over an output that works, once over one that is broken. What it writes is counted, not read.
#include <array>
#include <string_view>

#include "core/module/host_table.hpp"
#include "core/module/plugin_instance.hpp"
#include "tools/rl_plugin_check/life_cycle.hpp"

namespace rl::plugin_check {
namespace {

// An output that counts, and that can break.
struct Sink {
    uint64_t bytes = 0;
    bool broken = false;

    static int write(void* self, const char* text, size_t n) {
        auto& sink = *static_cast<Sink*>(self);
        if (sink.broken || (text == nullptr && n != 0)) return -1;
        sink.bytes += n;
        return 0;
    }
};

rl_node leaf(const char* key, uint32_t type) {
    rl_node node{};
    node.key = key;
    node.type = type;
    return node;
}

// A tree with every type of node. It is not the model of a real run: a reporter has to live with keys that are missing.
class Tree {
  public:
    Tree() {
        for (uint64_t ns : {900'000u, 1'100'000u, 5'000'000u}) histogram_.record(ns);
        leaves_[0] = leaf("schema_version", RL_NODE_U64);
        leaves_[0].v.u = 1;
        leaves_[1] = leaf("url", RL_NODE_STRING);
        leaves_[1].v.s = {kUrl.data(), kUrl.size()};
        leaves_[2] = leaf("ok", RL_NODE_BOOL);
        leaves_[2].v.i = 1;
        leaves_[3] = leaf("offset", RL_NODE_I64);
        leaves_[3].v.i = -5;
        leaves_[4] = leaf("rate", RL_NODE_F64);
        leaves_[4].v.d = 0.5;
        leaves_[4].unit = "per_second";
        leaves_[5] = leaf("nothing", RL_NODE_NULL);
        leaves_[6] = leaf("list", RL_NODE_ARRAY);
        leaves_[7] = leaf("service", RL_NODE_HISTOGRAM);
        leaves_[7].v.histogram = module::as_opaque(histogram_);
        root_ = leaf(nullptr, RL_NODE_OBJECT);
        root_.count = static_cast<uint32_t>(leaves_.size());
        root_.v.items = leaves_.data();
    }
    Tree(const Tree&) = delete;
    Tree& operator=(const Tree&) = delete;
    const rl_node* root() const { return &root_; }

  private:
    static constexpr std::string_view kUrl = "http://127.0.0.1:8080/";
    stats::Histogram histogram_;
    std::array<rl_node, 8> leaves_{};
    rl_node root_{};
};

using Call = int (*)(void*, const rl_report*, rl_error*);

Result<void> call(Progress& progress, const char* name, Call function, void* self, const rl_report& report, const Sink& sink) {
    if (function == nullptr) return {};
    rl_error error = module::empty_error();
    int code = 0;
    if (!contained(progress, name, [&] { code = function(self, &report, &error); })) return escaped(name);
    if (code == 0 || sink.broken) return {};
    return broken(std::string(name) + " failed: " + module::error_text(error));
}

}  // namespace

Result<std::string> live_as_reporter(const module::LoadedPlugin& plugin, const module::BoundOptions& options, const rl_host& host,
                                     Progress& progress) {
    const engine::RunSpec run = scripted_run();
    const module::OpenInfo info(run, &host, options);
    const Tree tree;
    std::array<Sink, 2> sinks;
    sinks[1].broken = true;  // a full disk or a closed pipe: the reporter may fail, it may not die
    for (Sink& sink : sinks) {
        rl_output output{};
        output.size = sizeof output;
        output.width = 80;
        output.self = &sink;
        output.write = &Sink::write;
        rl_report report{};
        report.size = sizeof report;
        report.root = tree.root();
        report.out = &output;
        report.host = &host;
        progress.enter("open()");
        auto reporter = module::ReporterInstance::open(plugin, info.get());
        if (!reporter) return std::move(reporter).error();
        RL_TRY(call(progress, "begin()", reporter->ops().begin, reporter->shared(), report, sink));
        RL_TRY(call(progress, "sample()", reporter->ops().sample, reporter->shared(), report, sink));
        report.is_final = 1;
        RL_TRY(call(progress, "end()", reporter->ops().end, reporter->shared(), report, sink));
        progress.enter("close()");
    }
    return std::to_string(sinks[0].bytes) + " bytes of report";
}

}  // namespace rl::plugin_check
