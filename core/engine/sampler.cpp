#include "core/engine/sampler.hpp"

#include <utility>

namespace rl::engine {

using stats::Counter;

Sampler::Totals Sampler::totals() const noexcept {
    Totals t;
    for (const stats::WorkerStats* worker : workers_) {
        t.requests += worker->counters.get(Counter::requests);
        t.responses += worker->counters.get(Counter::responses);
        t.ok += worker->counters.get(Counter::ok);
        t.bytes_received += worker->counters.get(Counter::bytes_received);
        t.live += worker->connections_live();
        for (size_t i = 1; i < stats::kTransportErrors; ++i) t.errors += worker->errors(static_cast<stats::TransportError>(i));
    }
    return t;
}

bool Sampler::has_rest(uint64_t end_ns) const noexcept {
    return last_ns_ == start_ns_ || (end_ns > last_ns_ && totals().requests != before_.requests);
}

Sample Sampler::take(uint64_t now_ns) {
    const Totals t = totals();
    stats::Histogram all;
    for (const stats::WorkerStats* worker : workers_) {
        for (const auto& status : worker->statuses()) all.add(*status.service);
    }
    Sample row;
    row.at = static_cast<Nanos>(last_ns_ - start_ns_);
    row.length = now_ns > last_ns_ ? static_cast<Nanos>(now_ns - last_ns_) : 0;
    row.requests = t.requests - before_.requests;
    row.responses = t.responses - before_.responses;
    row.ok = t.ok - before_.ok;
    row.errors = t.errors - before_.errors;
    row.bytes_received = t.bytes_received - before_.bytes_received;
    row.connections_live = t.live;
    stats::Histogram interval;
    interval.add(all);
    interval.subtract(earlier_);
    row.p50_ns = interval.value_at(50);
    row.p99_ns = interval.value_at(99);
    earlier_ = std::move(all);
    before_ = t;
    last_ns_ = now_ns;
    return row;
}

}  // namespace rl::engine
