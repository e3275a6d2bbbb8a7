// The control of a single answer through the query of its URL: /?size=4096&delay=5ms&status=404.
//
// Keys that are not ours are left alone (clients add their own), values of ours that make no sense are refused.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tools/serve/options.hpp"

namespace rl::serve {

enum class StatusSource : uint8_t { mix, query };

struct QueryReading {
    AnswerSpec spec;
    StatusSource status = StatusSource::mix;
    std::string why;  // not empty: the query is refused
};

QueryReading read_query(std::string_view query, const AnswerSpec& defaults);

// True if `key=1` (or the bare key) stands in the query.
bool query_has(std::string_view query, std::string_view key);

}  // namespace rl::serve
