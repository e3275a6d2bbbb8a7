// What a run of `ringload serve` was asked to do: the options after all checks. Read-only once the workers run.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/serve/values.hpp"

namespace rl::serve {

enum class Fault : uint8_t { none, reset, garbage, half, never };

enum class Framing : uint8_t { length, chunked, until_close };

// How one answer looks and when it goes out. The options make the default; the query of a URL may change a copy.
struct AnswerSpec {
    uint64_t size = 2;
    uint64_t head_bytes = 0;  // 0: whatever the head takes
    int64_t delay_ns = 0;
    int64_t jitter_ns = 0;
    int status = 200;
    Framing framing = Framing::length;
    uint64_t chunk_bytes = 16384;
    uint64_t slow_bytes = 0;  // 0: the body goes out as fast as the connection takes it
    int64_t slow_every_ns = 0;
    bool close = false;
    Fault fault = Fault::none;
};

struct Options {
    std::string listen = "127.0.0.1";
    uint16_t port = 8080;
    unsigned threads = 1;
    std::vector<int> cpus;

    AnswerSpec answer;
    std::vector<StatusShare> statuses;  // empty: always answer.status
    uint64_t every_count = 0;           // 0: no mixture
    int64_t every_ns = 0;
    uint64_t requests_per_connection = 0;  // 0: no limit
    uint64_t seed = 1;

    double reset = 0;
    double garbage = 0;
    double half = 0;
    double never = 0;
    uint64_t connections_max = 0;  // 0: no limit
    bool frozen = false;
    int64_t freeze_for_ns = 0;  // 0: until it is thawed

    bool spin = false;
    int64_t run_for_ns = 0;  // 0: until it is told
    uint64_t record_arrivals = 0;
};

enum class Asked : uint8_t { run, help, refuse };

// The outcome of reading a command line. For `refuse`, text is the one line that belongs on stderr; for `help`, the page.
struct Reading {
    Asked asked = Asked::run;
    std::string text;
    Options options;
};

Reading read_options(int argc, const char* const* argv);

}  // namespace rl::serve
