// The rl_host that a plug-in is given: log, memory, clock, histogram readers. One for each plug-in, so that its log lines bear its name.
//
// Threads: the functions behind the table may be called from any thread; the table itself does not change after construction. It
// must outlive the plug-in's instance.
#pragma once

#include <cstdint>
#include <string>

#include "core/base/log.hpp"
#include "core/stats/histogram.hpp"
#include "ringload/plugin.h"

namespace rl::module {

// The run's clock; by default CLOCK_MONOTONIC.
struct HostClock {
    uint64_t (*now_ns)(void* self) = nullptr;
    void* self = nullptr;
};

class HostTable {
  public:
    // Messages less grave than `threshold` are dropped.
    explicit HostTable(std::string who, LogLevel threshold = LogLevel::warning, HostClock clock = {});
    HostTable(const HostTable&) = delete;
    HostTable& operator=(const HostTable&) = delete;

    const rl_host* get() const noexcept { return &table_; }

  private:
    static void log(void* self, uint32_t level, const char* message) noexcept;
    static uint64_t now_ns(void* self) noexcept;

    std::string who_;
    LogLevel threshold_;
    HostClock clock_;
    rl_host table_;
};

// What plug-ins see of a histogram is the histogram itself, opaque.
inline const rl_histogram* as_opaque(const stats::Histogram& histogram) noexcept {
    return reinterpret_cast<const rl_histogram*>(&histogram);
}

}  // namespace rl::module
