// The host that a plug-in under test is given: the real one, with a count of the blocks of memory that were lent and not given back.
//
// One thread, as the whole life of a plug-in here. Must outlive the plug-in's instance.
#pragma once

#include <cstdint>
#include <string>

#include "core/module/host_table.hpp"

namespace rl::plugin_check {

class LentHost {
  public:
    explicit LentHost(std::string who);
    LentHost(const LentHost&) = delete;
    LentHost& operator=(const LentHost&) = delete;

    const rl_host* get() const noexcept { return &table_; }
    int64_t blocks() const noexcept { return blocks_; }

  private:
    module::HostTable real_;
    rl_host table_;
    int64_t blocks_ = 0;
};

}  // namespace rl::plugin_check
