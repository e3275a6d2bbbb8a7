#include "core/stats/worker_stats.hpp"

namespace rl::stats {

WorkerStats::WorkerStats() { slot_of_.fill(kNone); }

uint8_t WorkerStats::new_status(unsigned status) noexcept {
    constexpr uint32_t kShared = kStatuses - 1;
    const uint32_t used = statuses_used_.load(std::memory_order_relaxed);  // ORDER: this thread alone writes it
    const uint32_t slot = used < kShared ? used : kShared;
    status_of_[slot] = slot == kShared ? uint16_t{0} : static_cast<uint16_t>(status);
    slot_of_[status - kStatusMin] = static_cast<uint8_t>(slot);
    statuses_used_.store(slot + 1, std::memory_order_release);  // ORDER: readers that see the slot see its status
    return static_cast<uint8_t>(slot);
}

void WorkerStats::start_over() noexcept {
    counters = Counters();
    for (Histogram& histogram : service_) histogram.clear();
    for (Histogram* histogram : {&corrected_, &send_delay_, &connect_, &tls_, &first_byte_, &in_pieces_}) histogram->clear();
    slot_of_.fill(kNone);
    statuses_used_.store(0, std::memory_order_relaxed);  // ORDER: nobody reads
    status_counts_.fill(0);
    errors_.fill(0);
    for (auto& cause : causes_) cause.store(0, std::memory_order_relaxed);  // ORDER: nobody reads
    worst_stall_ns_ = 0;
    connections_peak_ = connections_live_;
}

std::vector<WorkerStats::StatusHistogram> WorkerStats::statuses() const {
    const uint32_t used = statuses_used_.load(std::memory_order_acquire);  // ORDER: pairs with new_status()
    std::vector<StatusHistogram> out;
    out.reserve(used);
    for (uint32_t i = 0; i < used; ++i) out.push_back({status_of_[i], &service_[i]});
    return out;
}

}  // namespace rl::stats
