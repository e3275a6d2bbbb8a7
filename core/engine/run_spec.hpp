// The resolved run: what the command line came to, in plain values. Everything else (workers, reports, --dump-config) reads only this.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/units.hpp"
#include "core/tls/settings.hpp"

namespace rl::engine {

enum class LoadModel : uint8_t {
    closed,     // a rate is a cap, latency is service time
    scheduled,  // one timeline; late slots wait and are charged
    open,       // one timeline; a slot that finds no free connection is dropped and counted
};
enum class Arrival : uint8_t { constant, poisson };           // gaps of a schedule
enum class Correction : uint8_t { schedule, off, wrk };       // what the corrected latency is made of
enum class Wait : uint8_t { automatic, sleep, spin, batch };  // how a worker waits for completions
enum class Pin : uint8_t { automatic, none, list };

struct OptionValue {  // --NAME.option=value for a backend or plug-in, unparsed
    std::string owner, option, value;
};

struct Stage {  // of --stages
    Nanos length = 0;
    double from = 0, to = 0;  // requests per second at its ends
};

struct RequestSpec {  // what the command line says about requests
    std::string url;  // as given
    std::string method = "GET";
    std::string target = "/";                                  // path and query as on the wire
    std::string authority;                                     // Host: default port dropped
    std::vector<std::pair<std::string, std::string>> headers;  // without Host, Content-Length, Connection
    std::string body;
    bool has_body = false;
    bool close_after = false;  // Connection: close on each request
};

struct RunSpec {
    RequestSpec request;
    bool secure = false;  // https
    tls::Settings tls;
    std::string host;  // to resolve, without brackets
    uint16_t port = 80;

    uint32_t workers = 2;
    uint32_t connections = 10;
    Nanos duration = 0;                                                         // 0: bounded by requests only
    uint64_t requests = 0;                                                      // 0: bounded by time only
    Nanos timeout = 2 * kSecond;                                                // each connect, and each exchange; 0: none
    uint32_t pipeline = 1;                                                      // 1..64
    uint32_t requests_per_connection_min = 0, requests_per_connection_max = 0;  // 0: no limit
    double rate = 0;                                                            // 0: none
    std::vector<Stage> stages;                                                  // empty: none
    Arrival arrival = Arrival::constant;
    Nanos deadline = 0;            // a slot that is older is shed, not sent; 0: none
    Nanos ramp_up = 0;             // connections start spread evenly over it
    Nanos warmup = 0;              // the same load before the window, left out of every figure; 0: none, or bounded by
    uint64_t warmup_requests = 0;  // this count
    LoadModel load_model = LoadModel::closed;
    Correction correction = Correction::schedule;
    Wait wait = Wait::automatic;
    Pin pin = Pin::automatic;
    std::vector<unsigned> pin_list;
    uint64_t seed = 1;
    std::vector<std::pair<unsigned, unsigned>> success_statuses = {{200, 299}};

    std::string backend = "auto", source = "static_url", pacer;  // pacer "": chosen by rate and load model
    std::vector<OptionValue> plugin_options;
    std::vector<std::string> plugin_path;

    bool has_warmup() const noexcept { return warmup != 0 || warmup_requests != 0; }
};

// The exact share of `total` that part `index` of `count` has: shares differ by at most one and add up to total.
constexpr uint64_t share_of(uint64_t total, uint64_t index, uint64_t count) noexcept {
    return total / count + (index < total % count ? 1 : 0);
}

}  // namespace rl::engine
