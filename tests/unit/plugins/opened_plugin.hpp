// A shipped plug-in, loaded from the build tree as the program would load it, and opened with a fake host.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/module/plugin_instance.hpp"
#include "core/module/plugin_loader.hpp"
#include "tests/support/fake_host.hpp"

namespace rl::testing {

inline module::SearchPath built_plugins() {
    module::SearchPath path;
    path.plugins.push_back({RL_TEST_PLUGIN_DIR, "build tree"});
    return path;
}

// `host` must outlive it. A failure to load or to bind is a failure of the test; a failure to open is kept in `failure`.
template <class Ops>
class OpenedPlugin {
  public:
    OpenedPlugin(module::Kind kind, const char* name, const engine::RunSpec& run, FakeHost& host,
                 const std::vector<engine::OptionValue>& given = {}) {
        auto loaded = module::load_plugin(kind, name, built_plugins());
        if (!loaded) {
            ADD_FAILURE() << loaded.error().text;
            return;
        }
        auto options = module::bind_options(*loaded->plugin, given);
        if (!options) {
            ADD_FAILURE() << options.error().text;
            return;
        }
        options_ = std::move(*options);
        info_.emplace(run, host.get(), options_);
        auto instance = module::PluginInstance<Ops>::open(*loaded, info_->get());
        if (instance) {
            instance_.emplace(std::move(*instance));
        } else {
            failure = instance.error().text;
        }
    }
    bool is_open() const { return instance_.has_value(); }
    const Ops& ops() const { return instance_->ops(); }

    // One worker's state; NULL after a failure, which is then in `failure`.
    void* open_worker(uint32_t index, uint32_t count, uint32_t batch_max = 64) {
        rl_worker worker{};
        worker.size = sizeof worker;
        worker.index = index;
        worker.count = count;
        worker.batch_max = batch_max;
        rl_error error = module::empty_error();
        void* self = nullptr;
        if (ops().worker_open(instance_->shared(), &worker, &self, &error) == 0) return self;
        failure = module::error_text(error);
        return nullptr;
    }

    std::string failure;

  private:
    module::BoundOptions options_;
    std::optional<module::OpenInfo> info_;
    std::optional<module::PluginInstance<Ops>> instance_;
};

}  // namespace rl::testing
