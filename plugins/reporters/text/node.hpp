// Finding things in the tree of a report. A key that is not there reads as null, so a report of an older host is shown as far as it goes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "ringload/plugin.h"

namespace rl::plugins::text {

inline constexpr rl_node kNull{};

inline std::span<const rl_node> members(const rl_node& node) {
    const bool group = node.type == RL_NODE_ARRAY || node.type == RL_NODE_OBJECT;
    return group && node.count > 0 ? std::span(node.v.items, node.count) : std::span<const rl_node>();
}

// The member that a path of keys leads to: find(root, "summary", "requests").
inline const rl_node& find(const rl_node& node) { return node; }
template <class... Keys>
const rl_node& find(const rl_node& node, std::string_view key, Keys... rest) {
    if (node.type != RL_NODE_OBJECT) return kNull;
    for (const rl_node& member : members(node)) {
        if (member.key == key) return find(member, rest...);
    }
    return kNull;
}

inline bool is_null(const rl_node& node) { return node.type == RL_NODE_NULL; }

inline std::optional<double> number(const rl_node& node) {
    switch (node.type) {
        case RL_NODE_F64:
            return node.v.d;
        case RL_NODE_U64:
            return static_cast<double>(node.v.u);
        case RL_NODE_I64:
            return static_cast<double>(node.v.i);
        default:
            return std::nullopt;
    }
}

inline uint64_t count(const rl_node& node) { return node.type == RL_NODE_U64 ? node.v.u : 0; }

inline bool is_true(const rl_node& node) { return node.type == RL_NODE_BOOL && node.v.i != 0; }

// Text for a terminal: control characters, which could move its cursor or change its colours, become question marks.
std::string words(const rl_node& node);

}  // namespace rl::plugins::text
