#include "core/engine/merge.hpp"

#include <algorithm>
#include <vector>

namespace rl::engine {
namespace {

using stats::WorkerStats;

MergedStats::Status& status_entry(std::vector<MergedStats::Status>& statuses, unsigned code) {
    const auto at =
        std::lower_bound(statuses.begin(), statuses.end(), code, [](const MergedStats::Status& s, unsigned c) { return s.code < c; });
    if (at != statuses.end() && at->code == code) return *at;
    MergedStats::Status fresh;
    fresh.code = code;
    return *statuses.insert(at, std::move(fresh));
}

void merge_statuses(const WorkerStats& worker, MergedStats& out) {
    const auto histograms = worker.statuses();
    for (const auto& h : histograms) {
        out.service.add(*h.service);
        if (h.status != 0) status_entry(out.statuses, h.status).service.add(*h.service);
    }
    for (unsigned code = WorkerStats::kStatusMin; code <= WorkerStats::kStatusMax; ++code) {
        const uint64_t n = worker.status_count(code);
        if (n == 0) continue;
        MergedStats::Status& entry = status_entry(out.statuses, code);
        entry.count += n;
        const bool own = std::any_of(histograms.begin(), histograms.end(), [&](const auto& h) { return h.status == code; });
        if (!own) entry.exact = false;
    }
}

}  // namespace

MergedStats merge_stats(std::span<const WorkerStats* const> workers) {
    MergedStats out;
    for (const WorkerStats* worker : workers) {
        out.counters.add(worker->counters);
        out.corrected.add(worker->corrected());
        out.send_delay.add(worker->send_delay());
        out.connect.add(worker->connect());
        out.tls.add(worker->tls());
        for (size_t i = 0; i < stats::kTransportErrors; ++i) {
            const auto error = static_cast<stats::TransportError>(i);
            out.errors[i] += worker->errors(error);
            if (out.causes[i] == IoError::none) out.causes[i] = static_cast<IoError>(worker->cause(error));
        }
        merge_statuses(*worker, out);
    }
    // An answer that came all at once has its first octet with its last.
    out.first_byte.add(out.service);
    for (const WorkerStats* worker : workers) out.first_byte.subtract(worker->in_pieces());
    for (const WorkerStats* worker : workers) out.first_byte.add(worker->first_byte());
    return out;
}

}  // namespace rl::engine
