// One simulated run, drawn from a seed: what the worker is asked to do, what the network does wrong, what the target does wrong.
#pragma once

#include <sstream>
#include <string>

#include "backends/sim/faults.hpp"
#include "core/engine/run_spec.hpp"

namespace rl::sim {

struct Scenario {
    engine::RunSpec spec;
    Faults faults;

    // The source.
    bool is_static = false, wants_responses = false;
    uint64_t source_ends_after = UINT64_MAX;  // requests
    double source_has_nothing = 0;            // per fill
    double with_body = 0;                     // per request: a POST

    // The target; per request.
    double close_after = 0;  // announces the end of the connection and closes
    double slam = 0;         // closes behind the answer without a word
    double cut = 0;          // closes or resets in the midst of the answer
    double mute = 0;         // never answers
    double garbage = 0;      // answers with what is not HTTP
    double large = 0;        // a body worth skipping
    double chunked = 0, endless = 0, informational = 0, not_found = 0;
    uint64_t delay_ns_max = 0;
    uint64_t interrupt_after = UINT64_MAX;  // requests seen, then the run is stopped from outside

    bool faultless = true;  // neither network nor target does anything wrong

    std::string text() const {
        std::ostringstream out;
        out << spec.connections << " connections, pipeline " << spec.pipeline << ", requests " << spec.requests << ", duration "
            << spec.duration << ", rate " << spec.rate
            << (spec.load_model == engine::LoadModel::closed      ? " closed"
                : spec.load_model == engine::LoadModel::scheduled ? " scheduled"
                                                                  : " open")
            << ", deadline " << spec.deadline << ", ramp " << spec.ramp_up << ", timeout " << spec.timeout << ", per connection "
            << spec.requests_per_connection_max << ", wait " << static_cast<int>(spec.wait) << (is_static ? ", static" : "")
            << (faultless ? ", faultless" : "") << "; cut " << cut << " mute " << mute << " slam " << slam << " close " << close_after
            << " garbage " << garbage << " interrupt " << interrupt_after << " ends " << source_ends_after << "; reset " << faults.reset
            << " half_close " << faults.half_close << " refused " << faults.refused << " late_sent " << faults.late_sent;
        return out.str();
    }
};

inline Scenario draw_scenario(Random& random) {
    Scenario s;
    engine::RunSpec& spec = s.spec;
    auto maybe = [&random](double often, double strongest) {
        const bool on = random.chance(often);
        const double strength = static_cast<double>(random.between(1, 1000)) / 1000.0;
        return on ? strongest * strength : 0.0;
    };
    spec.workers = 1;
    spec.connections = static_cast<uint32_t>(random.between(1, 12));
    spec.pipeline = random.chance(0.5) ? 1 : static_cast<uint32_t>(random.between(2, 16));
    if (random.chance(0.6)) spec.requests = random.between(1, 400);
    if (spec.requests == 0 || random.chance(0.2)) spec.duration = static_cast<Nanos>(random.between(1, 300)) * kMillisecond;
    spec.timeout = random.chance(0.1) ? 0 : static_cast<Nanos>(random.between(5, 2000)) * kMillisecond;
    if (random.chance(0.3)) {
        spec.requests_per_connection_min = static_cast<uint32_t>(random.between(1, 5));
        spec.requests_per_connection_max = spec.requests_per_connection_min + static_cast<uint32_t>(random.below(5));
    }
    if (random.chance(0.4)) {
        spec.rate = static_cast<double>(random.between(100, 50'000));
        if (random.chance(0.7)) spec.load_model = random.chance(0.5) ? engine::LoadModel::scheduled : engine::LoadModel::open;
        if (spec.load_model != engine::LoadModel::closed && random.chance(0.3)) {
            spec.deadline = static_cast<Nanos>(random.between(1, 50)) * kMillisecond;
        }
    }
    if (random.chance(0.2)) spec.ramp_up = static_cast<Nanos>(random.between(1, 50)) * kMillisecond;
    spec.wait = static_cast<engine::Wait>(random.below(4));
    spec.seed = random.next();

    s.is_static = random.chance(0.4);
    s.wants_responses = random.chance(0.5);
    if (!s.is_static) {
        s.source_has_nothing = maybe(0.3, 0.5);
        s.with_body = maybe(0.5, 1.0);
        if (random.chance(0.2)) s.source_ends_after = random.between(1, 300);
    }
    s.close_after = maybe(0.3, 0.5);
    s.large = maybe(0.3, 0.3);
    s.chunked = maybe(0.5, 1.0);
    s.informational = maybe(0.2, 0.5);
    s.not_found = maybe(0.3, 1.0);
    s.delay_ns_max = random.chance(0.5) ? random.below(3'000'000) : 0;
    s.faultless = random.chance(0.3);
    if (s.faultless) {
        s.close_after = 0;
        return s;
    }
    s.faults = Faults::swarm(random);
    s.slam = maybe(0.3, 0.3);
    s.cut = maybe(0.3, 0.3);
    // A target that may not answer needs a run that may not wait for ever.
    if (spec.timeout != 0) s.mute = maybe(0.2, 0.2);
    s.garbage = maybe(0.2, 0.1);
    s.endless = maybe(0.2, 0.3);
    if (random.chance(0.1)) s.interrupt_after = random.between(1, 100);
    return s;
}

}  // namespace rl::sim
