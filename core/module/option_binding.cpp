#include "core/module/option_binding.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <system_error>

#include "core/base/units.hpp"

namespace rl::module {
namespace {

constexpr std::array<std::string_view, 8> kTypeNames = {"bool", "i64", "u64", "f64", "string", "duration", "size", "rate"};
constexpr uint32_t kFlagsKnown = RL_OPTION_REQUIRED | RL_OPTION_FILE;
constexpr uint32_t kOptionsMax = 256;

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }
std::string dashed(std::string_view owner, std::string_view option) { return "--" + std::string(owner) + "." + std::string(option); }
Failure bad(std::string_view value, std::string_view why) { return failure(Error::usage, quoted(value) + " " + std::string(why)); }

bool has_range(const rl_option& option) noexcept { return option.min != 0 || option.max != 0; }

std::string shown(const rl_option& option, int64_t bound) {
    return option.type == RL_OPTION_DURATION ? format_duration(bound) : std::to_string(bound);
}

// The bounds of an option are signed; a value above the greatest signed number is above every bound.
Result<void> check_range(const rl_option& option, std::string_view text, int64_t value) {
    if (!has_range(option)) return {};
    if (value < option.min) return bad(text, "is too small; the least is " + shown(option, option.min));
    if (value > option.max) return bad(text, "is too large; the most is " + shown(option, option.max));
    return {};
}
int64_t clamped(uint64_t value) noexcept { return static_cast<int64_t>(std::min<uint64_t>(value, std::numeric_limits<int64_t>::max())); }

Result<void> parse_bool(std::string_view text, rl_value& out) {
    for (const std::string_view word : {"true", "yes", "on", "1"}) {
        if (text == word) {
            out.v.i = 1;
            return {};
        }
    }
    for (const std::string_view word : {"false", "no", "off", "0"}) {
        if (text == word) {
            out.v.i = 0;
            return {};
        }
    }
    return bad(text, "is neither true nor false");
}

Result<void> parse_i64(const rl_option& option, std::string_view text, rl_value& out) {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) return bad(text, "is out of range for a whole number");
    if (error != std::errc() || end != text.data() + text.size()) return bad(text, "is not a whole number");
    RL_TRY(check_range(option, text, value));
    out.v.i = value;
    return {};
}

Result<void> parse_f64(std::string_view text, rl_value& out) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error == std::errc::result_out_of_range) return bad(text, "is out of range for a number");
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) return bad(text, "is not a number");
    out.v.d = value;
    return {};
}

Result<void> parse_string(const rl_option& option, std::string_view text, rl_value& out) {
    if (option.choices != nullptr) {
        std::string list;
        bool known = false;
        for (const char* const* choice = option.choices; *choice != nullptr; ++choice) {
            known = known || text == *choice;
            list.append(list.empty() ? "" : ", ").append(*choice);
        }
        if (!known) return bad(text, "is none of " + list);
    }
    out.v.s.p = text.data();
    out.v.s.n = text.size();
    return {};
}

// A string value points into text, which must therefore live as long as the value.
Result<void> parse_value(const rl_option& option, std::string_view text, rl_value& out) {
    out.type = option.type;
    out.is_set = 1;
    switch (option.type) {
        case RL_OPTION_BOOL:
            return parse_bool(text, out);
        case RL_OPTION_I64:
            return parse_i64(option, text, out);
        case RL_OPTION_F64:
            return parse_f64(text, out);
        case RL_OPTION_STRING:
            return parse_string(option, text, out);
        case RL_OPTION_U64: {
            auto value = parse_count(text, 0, std::numeric_limits<uint64_t>::max());
            if (!value) return std::move(value).error();
            out.v.u = *value;
            return check_range(option, text, clamped(*value));
        }
        case RL_OPTION_SIZE: {
            auto value = parse_size(text);
            if (!value) return std::move(value).error();
            out.v.u = *value;
            return check_range(option, text, clamped(*value));
        }
        case RL_OPTION_DURATION: {
            auto value = parse_duration(text);
            if (!value) return std::move(value).error();
            out.v.i = *value;
            return check_range(option, text, *value);
        }
        default: {  // RL_OPTION_RATE: check_table() has let no other type through
            auto value = parse_rate(text);
            if (!value) return std::move(value).error();
            out.v.d = *value;
            return {};
        }
    }
}

std::string names_of(const OptionTable& table) {
    std::string list;
    for (uint32_t i = 0; i < table.count; ++i) list.append(list.empty() ? "" : ", ").append(table.at(i).name);
    return list;
}

Result<void> check_given_names(const OptionTable& table, std::span<const engine::OptionValue> given) {
    for (const engine::OptionValue& value : given) {
        if (value.owner != table.owner) continue;
        bool known = false;
        for (uint32_t i = 0; i < table.count && !known; ++i) known = value.option == table.at(i).name;
        if (known) continue;
        const std::string has = table.count == 0 ? "it has no options" : "it has " + names_of(table);
        return failure(Error::usage, dashed(value.owner, value.option) + ": " + value.owner + " has no such option; " + has);
    }
    return {};
}

bool is_option_name(std::string_view name) noexcept {
    return !name.empty() && name.size() <= 64 && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    });
}

Failure fault(std::string text) { return failure(Error::plugin, std::move(text)); }

Result<void> check_option(const OptionTable& table, uint32_t index) {
    const rl_option& option = table.at(index);
    if (option.name == nullptr) return fault("option " + std::to_string(index + 1) + " has no name");
    const std::string who = "option " + quoted(option.name);
    if (!is_option_name(option.name)) return fault(who + " is not named with a-z 0-9 _ - alone");
    for (uint32_t i = 0; i < index; ++i) {
        if (std::string_view(table.at(i).name) == option.name) return fault(who + " is declared twice");
    }
    if (option.type >= kTypeNames.size()) return fault(who + " has the unknown type " + std::to_string(option.type));
    if ((option.flags & ~kFlagsKnown) != 0) return fault(who + " has unknown flags");
    if (option.help == nullptr) return fault(who + " has no help");
    if (option.min > option.max) return fault(who + " has a least value above its greatest");
    if (option.choices != nullptr && option.type != RL_OPTION_STRING) return fault(who + " has choices and is not a string");
    if (option.def == nullptr) return {};
    if ((option.flags & RL_OPTION_REQUIRED) != 0) return fault(who + " is required and has a default");
    rl_value value{};
    if (auto parsed = parse_value(option, option.def, value); !parsed) {
        return fault(who + " has an impossible default: " + parsed.error().text);
    }
    return {};
}

}  // namespace

std::string_view type_name(uint32_t option_type) noexcept { return option_type < kTypeNames.size() ? kTypeNames[option_type] : "unknown"; }

OptionTable table_of(const rl_plugin& plugin) noexcept { return {plugin.name, plugin.options, plugin.option_count, plugin.option_stride}; }
OptionTable table_of(const rl_backend_module& module) noexcept {
    return {module.name, module.options, module.option_count, sizeof(rl_option)};
}

Result<void> check_table(const OptionTable& table) {
    if (table.count == 0) return {};
    if (table.first == nullptr) return fault("it declares " + std::to_string(table.count) + " options and has no table of them");
    if (table.count > kOptionsMax) return fault("it declares " + std::to_string(table.count) + " options; the most is 256");
    if (table.stride < sizeof(rl_option) || table.stride % alignof(rl_option) != 0) {
        return fault("its option table has a stride of " + std::to_string(table.stride) + " bytes; an option has at least " +
                     std::to_string(sizeof(rl_option)));
    }
    for (uint32_t i = 0; i < table.count; ++i) RL_TRY(check_option(table, i));
    return {};
}

Result<BoundOptions> bind_options(const OptionTable& table, std::span<const engine::OptionValue> given) {
    RL_TRY(check_given_names(table, given));
    BoundOptions bound;
    for (uint32_t i = 0; i < table.count; ++i) {
        const rl_option& option = table.at(i);
        const std::string* text = nullptr;
        for (const engine::OptionValue& value : given) {
            if (value.owner == table.owner && value.option == option.name) text = &value.value;
        }
        rl_value& out = bound.values_.emplace_back();
        out.type = option.type;
        if (text == nullptr && option.def == nullptr) {
            if ((option.flags & RL_OPTION_REQUIRED) == 0) continue;
            return failure(Error::usage, std::string(table.owner) + " needs " + dashed(table.owner, option.name) + " " +
                                             (option.metavar == nullptr ? "VALUE" : option.metavar) + ": " + option.help);
        }
        bound.strings_.push_back(std::make_unique<std::string>(text != nullptr ? *text : option.def));
        if (auto parsed = parse_value(option, *bound.strings_.back(), out); !parsed) {
            return failure(Error::usage, dashed(table.owner, option.name) + ": " + parsed.error().text);
        }
    }
    return bound;
}

Result<BoundOptions> bind_options(const rl_plugin& plugin, std::span<const engine::OptionValue> given) {
    return bind_options(table_of(plugin), given);
}
Result<BoundOptions> bind_options(const rl_backend_module& module, std::span<const engine::OptionValue> given) {
    return bind_options(table_of(module), given);
}

Result<void> check_owners(std::span<const engine::OptionValue> given, std::span<const std::string> owners_in_use) {
    for (const engine::OptionValue& value : given) {
        if (std::find(owners_in_use.begin(), owners_in_use.end(), value.owner) != owners_in_use.end()) continue;
        std::string list;
        for (const std::string& owner : owners_in_use) list.append(list.empty() ? "" : ", ").append(owner);
        return failure(Error::usage, dashed(value.owner, value.option) + ": this run does not use " + value.owner + "; it uses " + list);
    }
    return {};
}

}  // namespace rl::module
