// Makes rl_node values and owns all that they point to. Control thread. Nodes live as long as their builder and are never changed.
//
// A key must be a string literal or come from keep(). An empty optional and a number that is not finite become null.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <memory_resource>
#include <optional>
#include <string_view>
#include <vector>

#include "core/stats/histogram.hpp"
#include "ringload/plugin.h"

namespace rl::report {

class NodeBuilder {
  public:
    using Nodes = std::vector<rl_node>;

    rl_node null(const char* key) const;
    rl_node boolean(const char* key, bool value) const;
    rl_node count(const char* key, std::optional<uint64_t> value, const char* unit = nullptr) const;
    rl_node signed_count(const char* key, int64_t value) const;
    rl_node number(const char* key, std::optional<double> value, const char* unit = nullptr) const;
    rl_node text(const char* key, std::string_view octets);  // made valid UTF-8
    rl_node distribution(const char* key, const stats::Histogram* histogram) const;
    rl_node object(const char* key, std::initializer_list<rl_node> members);
    rl_node object(const char* key, const Nodes& members);
    rl_node array(const char* key, const Nodes& items);

    const char* keep(std::string_view octets);  // a key whose name is known only now
    const rl_node* keep(const rl_node& node);

  private:
    rl_node group(const char* key, uint32_t type, const rl_node* first, size_t count);
    char* copy(std::string_view octets);

    std::pmr::monotonic_buffer_resource memory_;
};

}  // namespace rl::report
