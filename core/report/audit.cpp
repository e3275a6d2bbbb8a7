#include "core/report/audit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/units.hpp"

namespace rl::report {
namespace {

using engine::LoadModel;
using engine::RunResult;
using engine::StopReason;
using stats::Counter;

constexpr Nanos kStallLimit = 100 * kMillisecond;        // a longer halt of the client moves percentiles of any run
constexpr Nanos kStallNoticed = 5 * kMillisecond;        // shorter ones are the scheduler's everyday business
constexpr uint64_t kSendDelayLimit = 10 * kMillisecond;  // p99 of it: a schedule that is kept stays far below
constexpr double kRateKept = 0.99;
constexpr double kConnectionsBusy = 0.90;  // from here on waiting for a free connection explains a missed rate
constexpr double kCpuFull = 0.99;          // a closed loop may use all but this without being in doubt
constexpr double kCpuFullOnSchedule = 0.95;
constexpr double kCrowdShare = 0.25, kCrowdMin = 2;  // answers per turn of the loop, of what can be in flight
constexpr double kLittleTolerance = 0.05;
constexpr uint64_t kLittleRounds = 50;  // answers per connection slot; fewer, and the run's edges show

double seconds(Nanos ns) { return static_cast<double>(ns) / static_cast<double>(kSecond); }

std::string percent(double share) { return std::to_string(std::lround(share * 100)) + " %"; }

std::string one_decimal(double value) {
    const auto tenths = static_cast<uint64_t>(std::llround(value * 10));
    std::string out = format_count(tenths / 10);
    out.push_back('.');
    out.push_back(static_cast<char>('0' + tenths % 10));
    return out;
}

// What the checks and the verdict are computed from.
struct Facts {
    explicit Facts(const RunResult& run)
        : requests(run.stats.counters.get(Counter::requests)),
          responses(run.stats.counters.get(Counter::responses)),
          abandoned(run.stats.counters.get(Counter::abandoned)),
          errors(run.stats.transport_errors()),
          elapsed(seconds(run.elapsed)),
          slots(uint64_t{run.spec.connections} * run.spec.pipeline) {
        for (const auto& worker : run.workers) {
            worst_stall = std::max(worst_stall, worker.worst_stall);
            if (run.elapsed > 0) cpu = std::max(cpu, static_cast<double>(worker.cpu_ns) / static_cast<double>(run.elapsed));
        }
        const uint64_t in_window = responses - std::min(run.stats.counters.get(Counter::drained), responses);
        // While a connection is set up its places are taken as well; where each request has its own, that is in the latency.
        for (const auto* phase : {&run.stats.connect, &run.stats.tls}) {
            if (elapsed > 0 && !run.spec.request.close_after)
                setting_up +=
                    static_cast<double>(phase->count()) * phase->mean() / static_cast<double>(kSecond) / elapsed * run.spec.pipeline;
        }
        if (elapsed > 0) in_flight = static_cast<double>(in_window) / elapsed * run.stats.service.mean() / static_cast<double>(kSecond);
        cpu_tells = run.spec.wait == engine::Wait::sleep || crowded(run);
    }

    // A worker that waits by spinning uses its CPU with or without work. What tells them apart is how much it finds to do: if a good part
    // of all that can be in flight has been answered by the time it looks, then answers wait for the worker and not the other way round.
    bool crowded(const RunResult& run) const {
        const double turns = static_cast<double>(run.stats.counters.get(Counter::wakes));
        const double slots_each = static_cast<double>(slots) / static_cast<double>(std::max(1u, run.spec.workers));
        return turns > 0 && static_cast<double>(responses) / turns >= std::max(kCrowdMin, slots_each * kCrowdShare);
    }

    uint64_t requests, responses, abandoned, errors;
    double elapsed;
    uint64_t slots;  // requests that could be in flight at once
    Nanos worst_stall = 0;
    double cpu = 0, in_flight = 0;
    double setting_up = 0;  // connections, on average
    bool cpu_tells = false;
};

Check check_outcomes(const RunResult& run, const Facts& f) {
    uint64_t by_status = 0;
    for (const auto& status : run.stats.statuses) by_status += status.count;
    const bool adds_up = f.requests == f.responses + f.errors + f.abandoned && by_status == f.responses &&
                         run.stats.service.count() == f.responses && run.stats.counters.get(Counter::ok) <= f.responses;
    std::string detail = format_count(f.requests) + " requests, " + format_count(f.responses) + " answers + " + format_count(f.errors) +
                         " transport errors + " + format_count(f.abandoned) + " abandoned";
    if (by_status != f.responses) detail += "; " + format_count(by_status) + " answers by status";
    if (run.stats.service.count() != f.responses) detail += "; " + format_count(run.stats.service.count()) + " latencies";
    return {"outcomes", adds_up ? CheckState::passed : CheckState::failed, std::move(detail)};
}

Check check_schedule(const RunResult& run) {
    if (!run.has_schedule) return {"schedule", CheckState::not_applicable, "the run had no schedule"};
    const uint64_t issued = run.stats.counters.get(Counter::slots_issued);
    const uint64_t skipped = run.stats.counters.get(Counter::slots_skipped);
    const uint64_t dropped = run.stats.counters.get(Counter::slots_dropped);
    const uint64_t shed = run.stats.counters.get(Counter::slots_shed);
    std::string detail =
        format_count(run.slots_scheduled) + " slots due, " + format_count(issued) + " sent + " + format_count(skipped) + " skipped";
    if (dropped != 0) detail += " + " + format_count(dropped) + " dropped";
    if (shed != 0) detail += " + " + format_count(shed) + " shed";
    return {"schedule", run.slots_scheduled == issued + skipped + dropped + shed ? CheckState::passed : CheckState::failed,
            std::move(detail)};
}

// Little's law names the requests in flight only where that number is known beforehand: in a closed loop without a cap, all of whose
// connections were in use from start to end.
const char* no_littles_law(const RunResult& run, const Facts& f) {
    if (run.has_schedule || run.spec.rate > 0 || !run.spec.stages.empty()) return "the number of requests in flight follows the rate";
    if (run.spec.ramp_up > 0) return "connections started one after the other";
    if (run.stop != StopReason::duration) return "the run was not ended by its duration";
    if (f.errors != 0) return "requests that failed have no latency";
    if (run.connections_live != run.spec.connections) return "connections were missing";
    if (f.worst_stall >= kStallLimit) return "a worker stood still";
    if (run.elapsed < kSecond || f.responses < f.slots * kLittleRounds) return "too few answers";
    return nullptr;
}

Check check_littles_law(const RunResult& run, const Facts& f) {
    if (const char* why = no_littles_law(run, f)) return {"littles_law", CheckState::not_applicable, why};
    const double off = std::abs((f.in_flight + f.setting_up) / static_cast<double>(f.slots) - 1);
    return {"littles_law", off <= kLittleTolerance ? CheckState::passed : CheckState::failed,
            "rate times mean latency is " + one_decimal(f.in_flight) + " in flight, of " + format_count(f.slots)};
}

Check check_wall_time(const RunResult& run, const Facts& f) {
    std::string detail = format_duration(run.elapsed) + " from the start to the last event";
    bool good = run.elapsed > 0 || f.responses == 0;
    if (run.spec.duration > 0) {
        detail += ", limit " + format_duration(run.spec.duration);
        good = good && run.elapsed <= run.spec.duration + run.spec.duration / 20 + kStallLimit;
    }
    return {"wall_time", good ? CheckState::passed : CheckState::failed, std::move(detail)};
}

constexpr std::string_view kAdvice = "; use more threads (-t), pin them (--pin) or add a machine";

// A run on a schedule: did the client send when it should have?
void judge_schedule(const RunResult& run, const Facts& f, Audit& out) {
    if (f.responses == 0) {
        out.reason = "no answer came";
        return;
    }
    const uint64_t issued = run.stats.counters.get(Counter::slots_issued);
    const bool missed = static_cast<double>(issued) < static_cast<double>(run.slots_scheduled) * kRateKept;
    const bool late = run.stats.send_delay.value_at(99) > kSendDelayLimit;
    if (!missed && !late) {
        out.reason = "the schedule was kept";
        return;
    }
    const bool cpu_full = f.cpu_tells && f.cpu >= kCpuFullOnSchedule;
    if (cpu_full) {
        out.verdict = Verdict::client_saturated;
        out.reason = "requests were late and the busiest worker used " + percent(f.cpu) + " of its CPU" + std::string(kAdvice);
        return;
    }
    // Requests that were no later than the client's own longest halt say nothing about the target.
    if (late && !missed && run.stats.send_delay.value_at(99) <= static_cast<uint64_t>(f.worst_stall)) {
        out.verdict = Verdict::client_saturated;
        out.reason = "requests were late and a worker stood still for " + format_duration(f.worst_stall) +
                     "; leave it a core of its own (--pin) or a quieter machine";
        return;
    }
    const bool errors_matter = f.errors * 100 > f.requests || run.connections_live < run.spec.connections;
    const double busy = f.in_flight / static_cast<double>(std::max<uint64_t>(1, f.slots));
    // Slots are dropped and shed for want of a free connection only. Those that still waited at the end had none either if nearly all
    // connections had a request out then; the mean in flight does not know these requests if they were never answered.
    const uint64_t out_at_end = run.stats.counters.get(Counter::drained) + f.abandoned;
    const bool none_free = static_cast<double>(out_at_end) >= static_cast<double>(f.slots) * kConnectionsBusy;
    const bool skipped =
        static_cast<double>(run.stats.counters.get(Counter::slots_skipped)) > static_cast<double>(run.slots_scheduled) * (1 - kRateKept);
    if (skipped && !none_free && !errors_matter && run.slots_scheduled >= 100 && busy < kConnectionsBusy) {
        out.verdict = Verdict::client_saturated;
        out.reason = "requests were skipped although only " + percent(busy) + " of the connections were in use" + std::string(kAdvice);
        return;
    }
    out.reason = errors_matter                            ? "the target lost connections or failed requests, so the rate was missed"
                 : run.spec.load_model == LoadModel::open ? "the target was the bottleneck: slots found no free connection"
                                                          : "the target was the bottleneck: requests waited for a free connection";
}

void judge_closed(const Facts& f, Audit& out) {
    if (f.responses == 0) {
        out.reason = "no answer came";
    } else if (f.cpu_tells && f.cpu >= kCpuFull) {
        out.verdict = Verdict::client_saturated;
        out.reason = "the busiest worker used " + percent(f.cpu) + " of its CPU, the rate may be the client's limit" + std::string(kAdvice);
    } else {
        out.reason = "outcomes add up and the client kept pace";
    }
}

// A halt that is too short to spoil the run may still be what its longest latencies are made of.
void name_stall(const RunResult& run, const Facts& f, Audit& out) {
    const uint64_t p99 = (run.is_corrected() ? run.stats.corrected : run.stats.service).value_at(99);
    if (f.responses == 0 || f.worst_stall <= kStallNoticed || static_cast<uint64_t>(f.worst_stall) <= p99) return;
    out.reason +=
        "; a worker stood still for " + format_duration(f.worst_stall) + ", so that the longest latencies may be the client's own";
}

void judge(const RunResult& run, const Facts& f, Audit& out) {
    for (const Check& check : out.checks) {
        if (check.state != CheckState::failed) continue;
        out.verdict = Verdict::inconsistent;
        out.reason = std::string(check.name) + ": " + check.detail;
        return;
    }
    if (run.stop == StopReason::failed) {
        out.verdict = Verdict::inconsistent;
        out.reason = "the run broke off: " + run.failure;
    } else if (f.worst_stall >= kStallLimit) {
        out.verdict = Verdict::client_saturated;
        out.reason = "a worker stood still for " + format_duration(f.worst_stall) +
                     ", which is in the latencies; leave it a core of its own (--pin) or a quieter machine";
    } else if (run.has_schedule) {
        judge_schedule(run, f, out);
    } else {
        judge_closed(f, out);
    }
    if (out.verdict == Verdict::valid) name_stall(run, f, out);
}

}  // namespace

std::string_view verdict_name(Verdict verdict) noexcept {
    switch (verdict) {
        case Verdict::valid:
            return "valid";
        case Verdict::client_saturated:
            return "client_saturated";
        case Verdict::inconsistent:
            return "inconsistent";
    }
    return "inconsistent";
}

Audit audit(const RunResult& run) {
    const Facts f(run);
    Audit out;
    out.checks = {check_outcomes(run, f), check_schedule(run), check_littles_law(run, f), check_wall_time(run, f)};
    for (const auto& worker : run.workers) out.syscalls += worker.syscalls;
    if (f.requests > 0) out.syscalls_per_request = static_cast<double>(out.syscalls) / static_cast<double>(f.requests);
    if (!run.workers.empty()) {
        if (run.elapsed > 0) out.client_cpu_percent = f.cpu * 100;
        out.worst_stall_ms = static_cast<double>(f.worst_stall) / 1e6;
        out.backend = run.workers.front().backend;
        out.switches = run.workers.front().switches;
    }
    if (run.elapsed > 0 && f.responses > 0) out.mean_in_flight = f.in_flight;
    judge(run, f, out);
    return out;
}

}  // namespace rl::report
