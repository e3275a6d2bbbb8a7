// One row a key, as in the option table.
#include "tools/serve/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "tools/serve/answer.hpp"
#include "tools/serve/values.hpp"

namespace rl::serve {
namespace {

struct Key {
    std::string_view name;
    bool (*read)(QueryReading&, std::string_view);
};

bool read_fault(QueryReading& reading, std::string_view value) {
    constexpr std::array<std::string_view, 5> kNames{"none", "reset", "garbage", "half", "never"};
    const auto found = std::find(kNames.begin(), kNames.end(), value);
    reading.spec.fault = static_cast<Fault>(found - kNames.begin());
    return found != kNames.end();
}

bool read_chunked(QueryReading& reading, std::string_view value) {
    if (value == "0") {
        reading.spec.framing = Framing::length;
        return true;
    }
    reading.spec.framing = Framing::chunked;
    if (value.empty() || value == "1") return true;
    const auto size = read_size(value);
    reading.spec.chunk_bytes = size.value_or(0);
    return reading.spec.chunk_bytes > 0 && reading.spec.chunk_bytes <= (1ULL << 30);
}

bool read_slow(QueryReading& reading, std::string_view value) {
    const auto pair = read_size_per_time(value);
    reading.spec.slow_bytes = pair ? pair->first : 0;
    reading.spec.slow_every_ns = pair ? pair->time_ns : 0;
    return pair.has_value();
}

template <class Value, class Into>
bool put(const std::optional<Value>& value, Into& into) {
    if (value) into = static_cast<Into>(*value);
    return value.has_value();
}

// clang-format off
constexpr auto kKeys = std::to_array<Key>({
    {"size", [](QueryReading& r, std::string_view v) { return put(read_size(v), r.spec.size); }},
    {"head", [](QueryReading& r, std::string_view v) { return put(read_size(v), r.spec.head_bytes) && r.spec.head_bytes <= (1U << 20); }},
    {"delay", [](QueryReading& r, std::string_view v) { return put(read_time(v), r.spec.delay_ns); }},
    {"jitter", [](QueryReading& r, std::string_view v) { return put(read_time(v), r.spec.jitter_ns); }},
    {"status", [](QueryReading& r, std::string_view v) { r.status = StatusSource::query; return put(read_status(v), r.spec.status); }},
    {"chunked", read_chunked},
    {"slow", read_slow},
    {"close", [](QueryReading& r, std::string_view v) { r.spec.close = v != "0"; return v.empty() || v == "0" || v == "1"; }},
    {"fault", read_fault},
});
// clang-format on

// Calls take(key, value) for each part between ampersands.
template <class Take>
void each_parameter(std::string_view query, Take take) {
    while (!query.empty()) {
        const size_t end = std::min(query.find('&'), query.size());
        const std::string_view part = query.substr(0, end);
        const size_t equals = std::min(part.find('='), part.size());
        take(part.substr(0, equals), part.substr(std::min(equals + 1, part.size())));
        query.remove_prefix(std::min(end + 1, query.size()));
    }
}

}  // namespace

QueryReading read_query(std::string_view query, const AnswerSpec& defaults) {
    QueryReading reading;
    reading.spec = defaults;
    each_parameter(query, [&](std::string_view name, std::string_view value) {
        const auto key = std::find_if(kKeys.begin(), kKeys.end(), [&](const Key& k) { return k.name == name; });
        if (key == kKeys.end() || !reading.why.empty()) return;
        if (!key->read(reading, value)) reading.why = fmt::format("{}={}: this value makes no sense here", name, value);
    });
    const uint64_t least = least_head_bytes(reading.spec);
    if (reading.why.empty() && reading.spec.head_bytes != 0 && reading.spec.head_bytes < least) {
        reading.why = fmt::format("head={}: the head takes at least {} octets", reading.spec.head_bytes, least);
    }
    return reading;
}

bool query_has(std::string_view query, std::string_view key) {
    bool has = false;
    each_parameter(query, [&](std::string_view name, std::string_view value) { has = has || (name == key && value != "0"); });
    return has;
}

}  // namespace rl::serve
