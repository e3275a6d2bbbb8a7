// Option tables of plug-ins and backends, and the strings given for them, to checked rl_value arrays. Control thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.hpp"
#include "core/engine/run_spec.hpp"
#include "core/module/backend_abi.h"
#include "ringload/plugin.h"

namespace rl::module {

// Someone's declared options. The stride is that of the header which the owner was built with, so entries are reached through at().
struct OptionTable {
    std::string_view owner;  // "static_url", "io_uring": the prefix on the command line
    const rl_option* first = nullptr;
    uint32_t count = 0, stride = sizeof(rl_option);

    const rl_option& at(uint32_t index) const noexcept {
        const void* const entry = reinterpret_cast<const char*>(first) + size_t{index} * stride;
        return *static_cast<const rl_option*>(entry);
    }
};
OptionTable table_of(const rl_plugin& plugin) noexcept;
OptionTable table_of(const rl_backend_module& module) noexcept;

// One value for each declared option, in the order of the table, with the strings that they point to.
class BoundOptions {
  public:
    std::span<const rl_value> values() const noexcept { return values_; }
    const rl_value* data() const noexcept { return values_.data(); }
    uint32_t count() const noexcept { return static_cast<uint32_t>(values_.size()); }

  private:
    friend Result<BoundOptions> bind_options(const OptionTable& table, std::span<const engine::OptionValue> given);
    std::vector<rl_value> values_;
    std::vector<std::unique_ptr<std::string>> strings_;  // OWNS: what string values point to; stable under moves
};

// Takes from `given` what belongs to the table's owner and leaves the rest alone; of an option given twice the last counts. Defaults
// are parsed like given values. Fails with a usage sentence: unknown option, wrong type, out of range, no such choice, missing.
// A bool takes true false yes no on off 1 0.
Result<BoundOptions> bind_options(const OptionTable& table, std::span<const engine::OptionValue> given);
Result<BoundOptions> bind_options(const rl_plugin& plugin, std::span<const engine::OptionValue> given);
Result<BoundOptions> bind_options(const rl_backend_module& module, std::span<const engine::OptionValue> given);

// Fails if an option is given for an owner that this run does not use.
Result<void> check_owners(std::span<const engine::OptionValue> given, std::span<const std::string> owners_in_use);

// Is the table itself in order? Used when a plug-in or module is loaded; the failure's text is a clause without the file's name.
Result<void> check_table(const OptionTable& table);

std::string_view type_name(uint32_t option_type) noexcept;  // "duration"

}  // namespace rl::module
