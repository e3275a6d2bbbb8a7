// Adding up over the workers, and the JSON of /stats.
#include "tools/serve/stats.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rl::serve {
namespace {

// Octets above 126 become \u00XX, so that a reader gets every octet of a request back through Latin-1.
std::string quoted(std::string_view octets) {
    std::string text = "\"";
    for (const char c : octets) {
        const auto octet = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            text += '\\';
            text += c;
        } else if (octet < 0x20 || octet > 0x7E) {
            text += fmt::format("\\u{:04x}", unsigned{octet});
        } else {
            text += c;
        }
    }
    return text + '"';
}

template <class Key>
std::string member(const Key& key, uint64_t value) {
    return fmt::format("\"{}\":{},", key, value);
}

// Puts members that end in commas between braces.
std::string object(std::string members) {
    if (!members.empty()) members.pop_back();
    return "{" + members + "}";
}

}  // namespace

void WorkerStats::add_status(int status, uint64_t n) noexcept {
    const auto index = static_cast<size_t>(status - kStatusFirst);
    if (index < statuses_.size()) statuses_[index].add(n);
}

void WorkerStats::add_arrival(int64_t now_ns) noexcept {
    // A reader that races with a full ring may see the newer time, which is as true.
    arrivals_[arrivals_total_.get() % arrivals_.size()].set(now_ns);
    arrivals_total_.add(1);
}

Count* WorkerStats::path(std::string_view path) {
    const auto found = paths_.find(path);
    if (found != paths_.end()) return &found->second;
    if (paths_.size() >= kPathsMax) return nullptr;
    const std::lock_guard lock(mutex_);
    return &paths_[std::string(path)];
}

void WorkerStats::set_last(std::string_view head, uint64_t body_bytes, uint32_t body_crc32, int64_t now_ns) {
    const std::lock_guard lock(mutex_);
    last_.head.assign(head);
    last_.body_bytes = body_bytes;
    last_.body_crc32 = body_crc32;
    set_last(nullptr, now_ns);
}

void WorkerStats::set_last(const LastRequest* lasting, int64_t now_ns) noexcept {
    last_lasting_.set(lasting);
    last_ns_.set(now_ns);
}

Board::Board(unsigned workers, size_t arrivals_kept) : arrivals_baseline_(workers) {
    for (unsigned i = 0; i < workers; ++i) workers_.push_back(std::make_unique<WorkerStats>(arrivals_kept));
}

void Board::connection_opened() noexcept { open_.add(1); }

void Board::connection_closed() noexcept {
    note_peak();
    open_.subtract(1);
}

void Board::connection_uncounted() noexcept { open_.subtract(1); }

// The number of connections only falls at a close, so looking there, and when asked, misses no peak.
void Board::note_peak() noexcept { open_max_.raise_to(open_.get()); }

Board::Totals Board::read_all() const {
    Totals totals;
    for (const auto& worker : workers_) {
        for (size_t i = 0; i < kTallyCount; ++i) totals.tallies[i] += worker->tallies_[i].get();
        for (size_t i = 0; i < kMethodCount; ++i) totals.methods[i] += worker->methods_[i].get();
        for (size_t i = 0; i < kStatusCount; ++i) totals.statuses[i] += worker->statuses_[i].get();
        const std::lock_guard lock(worker->mutex_);
        for (const auto& [path, count] : worker->paths_) totals.paths[path] += count.get();
    }
    return totals;
}

Board::Totals Board::since_reset() const {
    Totals totals = read_all();
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < kTallyCount; ++i) totals.tallies[i] -= baseline_.tallies[i];
    for (size_t i = 0; i < kMethodCount; ++i) totals.methods[i] -= baseline_.methods[i];
    for (size_t i = 0; i < kStatusCount; ++i) totals.statuses[i] -= baseline_.statuses[i];
    for (const auto& [path, count] : baseline_.paths) totals.paths[path] -= count;
    std::erase_if(totals.paths, [](const auto& entry) { return entry.second == 0; });
    return totals;
}

void Board::reset(int64_t now_ns) {
    Totals totals = read_all();
    const std::lock_guard lock(mutex_);
    baseline_ = std::move(totals);
    for (size_t i = 0; i < workers_.size(); ++i) arrivals_baseline_[i] = workers_[i]->arrivals_total_.get();
    reset_ns_ = now_ns;
    open_max_.set(open_.get());
}

std::string Board::json(Wanted wanted) {
    note_peak();
    const Totals totals = since_reset();
    std::string methods;
    for (size_t i = 0; i < kMethodCount; ++i) {
        if (totals.methods[i] != 0) methods += member(method_name(static_cast<Method>(i)), totals.methods[i]);
    }
    std::string statuses;
    for (size_t i = 0; i < kStatusCount; ++i) {
        if (totals.statuses[i] != 0) statuses += member(i + kStatusFirst, totals.statuses[i]);
    }
    std::string paths;
    for (const auto& [path, count] : totals.paths) paths += fmt::format("{}:{},", quoted(path), count);

    std::string all = member("requests_received", totals[Tally::requests]) + member("responses_sent", totals[Tally::responses]) +
                      member("bad_requests", totals[Tally::bad_requests]) +
                      member("connections_accepted", totals[Tally::connections] - totals[Tally::control_connections]) +
                      member("connections_open", open_.get()) + member("connections_open_max", open_max_.get()) +
                      member("connections_ignored", totals[Tally::connections_ignored]) +
                      member("bytes_in", totals[Tally::bytes_in] - totals[Tally::control_bytes_in]) +
                      member("bytes_out", totals[Tally::bytes_out]) + member("resets", totals[Tally::resets]) +
                      member("garbage", totals[Tally::garbage]) + member("halves", totals[Tally::halves]) +
                      member("nevers", totals[Tally::nevers]) + member("paths_other", totals[Tally::paths_other]);
    all += fmt::format("\"methods\":{},\"statuses\":{},\"paths\":{},", object(methods), object(statuses), object(paths));
    if (wanted.arrivals) all += arrivals_json();
    if (wanted.last) all += last_json();
    return object(all) + "\n";
}

std::string Board::arrivals_json() const {
    std::vector<int64_t> times;
    uint64_t lost = 0;
    const std::lock_guard lock(mutex_);
    for (size_t i = 0; i < workers_.size(); ++i) {
        const auto& ring = workers_[i]->arrivals_;
        const uint64_t end = workers_[i]->arrivals_total_.get();
        const uint64_t kept = std::min<uint64_t>(end - arrivals_baseline_[i], ring.size());
        lost += end - arrivals_baseline_[i] - kept;
        for (uint64_t at = end - kept; at < end; ++at) times.push_back(ring[at % ring.size()].get());
    }
    std::sort(times.begin(), times.end());
    return fmt::format("\"arrivals_lost\":{},\"arrivals\":[{}],", lost, fmt::join(times, ","));
}

std::string Board::last_json() const {
    const WorkerStats* newest = nullptr;
    for (const auto& worker : workers_) {
        if (newest == nullptr || worker->last_ns_.get() > newest->last_ns_.get()) newest = worker.get();
    }
    const std::scoped_lock lock(mutex_, newest->mutex_);
    if (newest->last_ns_.get() <= reset_ns_) return "\"last\":null,";
    const LastRequest* lasting = newest->last_lasting_.get();
    const LastRequest& last = lasting != nullptr ? *lasting : newest->last_;
    return fmt::format("\"last\":{{\"head\":{},\"body_bytes\":{},\"body_crc32\":{}}},", quoted(last.head), last.body_bytes,
                       last.body_crc32);
}

std::string Board::summary() const {
    const Totals totals = read_all();
    return fmt::format("{} requests received, {} answered, {} bad; {} connections; {} octets in, {} out", totals[Tally::requests],
                       totals[Tally::responses], totals[Tally::bad_requests],
                       totals[Tally::connections] - totals[Tally::control_connections],
                       totals[Tally::bytes_in] - totals[Tally::control_bytes_in], totals[Tally::bytes_out]);
}

}  // namespace rl::serve
