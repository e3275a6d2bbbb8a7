// Times, sizes, counts and shares as people write them, for the options of `ringload serve` and for its URL control.
//
// Deliberately not core/base/units: the bundled target shares no code with what it helps to test. Cold path, any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rl::serve {

struct StatusShare {
    int status = 200;
    double share = 1.0;  // of 1; the shares of a mix add up to 1
};

struct Pair {
    uint64_t first = 0;
    int64_t time_ns = 0;
};

// Every function takes the whole text or nothing: what it does not understand to the last octet is no value.
std::optional<uint64_t> read_count(std::string_view text);
std::optional<int64_t> read_time(std::string_view text);                         // 500ms 250us 30 1.5s 1h30m; a bare number is seconds
std::optional<uint64_t> read_size(std::string_view text);                        // 4096 64KiB 1MiB 10kB
std::optional<double> read_probability(std::string_view text);                   // 0 .. 1, or 0% .. 100%
std::optional<int> read_status(std::string_view text);                           // 200 .. 599
std::optional<std::vector<StatusShare>> read_status_mix(std::string_view text);  // 200=0.97,503=0.03, or 404
std::optional<Pair> read_size_per_time(std::string_view text);                   // 100/10ms
std::optional<Pair> read_count_and_time(std::string_view text);                  // 10:100ms
std::optional<std::vector<int>> read_cpu_list(std::string_view text);            // 0,2-3

}  // namespace rl::serve
