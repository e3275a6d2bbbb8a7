#include "tools/rl_plugin_check/lent_host.hpp"

#include <utility>

namespace rl::plugin_check {

LentHost::LentHost(std::string who) : real_(std::move(who)), table_(*real_.get()) {
    table_.self = this;
    table_.log = [](void* self, uint32_t level, const char* message) {
        const rl_host& real = *static_cast<LentHost*>(self)->real_.get();
        real.log(real.self, level, message);
    };
    table_.alloc = [](void* self, size_t bytes, size_t align, uint32_t worker) -> void* {
        auto& host = *static_cast<LentHost*>(self);
        const rl_host& real = *host.real_.get();
        void* const memory = real.alloc(real.self, bytes, align, worker);
        if (memory != nullptr) ++host.blocks_;
        return memory;
    };
    table_.free = [](void* self, void* memory) {
        auto& host = *static_cast<LentHost*>(self);
        const rl_host& real = *host.real_.get();
        if (memory != nullptr) --host.blocks_;
        real.free(real.self, memory);
    };
    table_.now_ns = [](void* self) {
        const rl_host& real = *static_cast<LentHost*>(self)->real_.get();
        return real.now_ns(real.self);
    };
}

}  // namespace rl::plugin_check
