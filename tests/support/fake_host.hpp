// An rl_host for tests of plug-ins: counts what is allocated and not given back, keeps log lines, and has a clock that stands still.
// One thread; must outlive the plug-in's instance. Allocation fails on demand.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "core/base/memory.hpp"
#include "ringload/plugin.h"

namespace rl::testing {

class FakeHost {
  public:
    FakeHost() {
        table_.size = sizeof table_;
        table_.abi_minor = RL_ABI_MINOR;
        table_.self = this;
        table_.log = [](void* self, uint32_t level, const char* message) {
            me(self).lines.push_back(std::to_string(level) + ": " + message);
        };
        table_.alloc = [](void* self, size_t bytes, size_t align, uint32_t) -> void* {
            FakeHost& host = me(self);
            if (host.out_of_memory) return nullptr;
            void* const memory = allocate_aligned(bytes == 0 ? 1 : bytes, align < 16 ? 16 : align);
            if (memory == nullptr) return nullptr;
            ++host.live;
            host.largest = bytes > host.largest ? bytes : host.largest;
            return std::memset(memory, 0, bytes);
        };
        table_.free = [](void* self, void* memory) {
            me(self).live -= memory != nullptr ? 1 : 0;
            free_aligned(memory);
        };
        table_.now_ns = [](void* self) { return me(self).now_ns; };
    }
    FakeHost(const FakeHost&) = delete;
    FakeHost& operator=(const FakeHost&) = delete;

    const rl_host* get() const noexcept { return &table_; }

    int live = 0;        // allocations not given back
    size_t largest = 0;  // bytes of the largest one
    uint64_t now_ns = 0;
    bool out_of_memory = false;
    std::vector<std::string> lines;

  private:
    static FakeHost& me(void* self) { return *static_cast<FakeHost*>(self); }
    rl_host table_{};
};

}  // namespace rl::testing
