#include "core/report/node_builder.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/report/utf8.hpp"

namespace rl::report {
namespace {

rl_node node(const char* key, rl_node_type type) {
    rl_node out{};
    out.key = key;
    out.type = type;
    return out;
}

}  // namespace

rl_node NodeBuilder::null(const char* key) const { return node(key, RL_NODE_NULL); }

rl_node NodeBuilder::boolean(const char* key, bool value) const {
    rl_node out = node(key, RL_NODE_BOOL);
    out.v.i = value ? 1 : 0;
    return out;
}

rl_node NodeBuilder::count(const char* key, std::optional<uint64_t> value, const char* unit) const {
    if (!value) return null(key);
    rl_node out = node(key, RL_NODE_U64);
    out.v.u = *value;
    out.unit = unit;
    return out;
}

rl_node NodeBuilder::signed_count(const char* key, int64_t value) const {
    rl_node out = node(key, RL_NODE_I64);
    out.v.i = value;
    return out;
}

rl_node NodeBuilder::number(const char* key, std::optional<double> value, const char* unit) const {
    if (!value || !std::isfinite(*value)) return null(key);
    rl_node out = node(key, RL_NODE_F64);
    out.v.d = *value;
    out.unit = unit;
    return out;
}

rl_node NodeBuilder::text(const char* key, std::string_view octets) {
    const std::string valid = valid_utf8(octets);
    rl_node out = node(key, RL_NODE_STRING);
    out.v.s.p = copy(valid);
    out.v.s.n = valid.size();
    return out;
}

rl_node NodeBuilder::distribution(const char* key, const stats::Histogram* histogram) const {
    if (histogram == nullptr) return null(key);
    rl_node out = node(key, RL_NODE_HISTOGRAM);
    out.v.histogram = reinterpret_cast<const rl_histogram*>(histogram);  // what the host table casts back
    return out;
}

rl_node NodeBuilder::object(const char* key, std::initializer_list<rl_node> members) {
    return group(key, RL_NODE_OBJECT, members.begin(), members.size());
}

rl_node NodeBuilder::object(const char* key, const Nodes& members) { return group(key, RL_NODE_OBJECT, members.data(), members.size()); }

rl_node NodeBuilder::array(const char* key, const Nodes& items) { return group(key, RL_NODE_ARRAY, items.data(), items.size()); }

const char* NodeBuilder::keep(std::string_view octets) { return copy(valid_utf8(octets)); }

const rl_node* NodeBuilder::keep(const rl_node& node) { return group(nullptr, RL_NODE_ARRAY, &node, 1).v.items; }

rl_node NodeBuilder::group(const char* key, uint32_t type, const rl_node* first, size_t count) {
    rl_node out = node(key, static_cast<rl_node_type>(type));
    out.count = static_cast<uint32_t>(count);
    if (count == 0) return out;
    auto* items = static_cast<rl_node*>(memory_.allocate(count * sizeof(rl_node), alignof(rl_node)));
    std::copy_n(first, count, items);
    out.v.items = items;
    return out;
}

char* NodeBuilder::copy(std::string_view octets) {
    auto* out = static_cast<char*>(memory_.allocate(octets.size() + 1, 1));
    std::copy(octets.begin(), octets.end(), out);
    out[octets.size()] = '\0';
    return out;
}

}  // namespace rl::report
