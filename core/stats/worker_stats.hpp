// Everything that one worker measures. Written by its thread alone, read by the control thread at any time.
//
// Each answer is recorded once: into the service histogram of its status. The histogram of all answers is the sum of those, which
// makes figures per status free. Without a schedule `corrected` equals `service` and is not recorded.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/stats/counters.hpp"
#include "core/stats/histogram.hpp"
#include "core/stats/transport_error.hpp"

namespace rl::stats {

class WorkerStats {
  public:
    static constexpr size_t kStatuses = 16;  // distinct statuses with a histogram of their own; later ones share the last
    static constexpr unsigned kStatusMin = 100, kStatusMax = 999;

    WorkerStats();

    // Forgets all but how many connections are open. By the worker, while nobody reads.
    void start_over() noexcept;

    // HOT. status: 100..999 as read from the answer.
    void answer(unsigned status, uint64_t service_ns) noexcept {
        uint8_t slot = slot_of_[status - kStatusMin];
        if (slot == kNone) [[unlikely]]
            slot = new_status(status);
        bump(status_counts_[status - kStatusMin], 1);
        service_[slot].record(service_ns);
    }
    void sent_late(uint64_t send_delay_ns) noexcept { send_delay_.record(send_delay_ns); }
    // Of an answer that did not come all at once: time to its first octet, and its service time. For all others the two are the same.
    void in_pieces(uint64_t first_byte_ns, uint64_t service_ns) noexcept {
        first_byte_.record(first_byte_ns);
        in_pieces_.record(service_ns);
    }
    void failed(TransportError error) noexcept { bump(errors_[static_cast<size_t>(error)], 1); }
    // Why, as the engine numbers it, not 0. The first cause of each word is kept, as a sample.
    void caused(TransportError error, uint8_t cause) noexcept {
        auto& kept = causes_[static_cast<size_t>(error)];
        if (kept.load(std::memory_order_relaxed) == 0) kept.store(cause, std::memory_order_relaxed);  // ORDER: statistics only
    }
    void connected(uint64_t connect_ns) noexcept { connect_.record(connect_ns); }
    void secured(uint64_t handshake_ns) noexcept { tls_.record(handshake_ns); }

    // For readers.
    struct StatusHistogram {
        unsigned status;  // 0: all statuses past the first kStatuses - 1
        const Histogram* service;
    };
    std::vector<StatusHistogram> statuses() const;
    uint64_t status_count(unsigned status) const noexcept { return peek(status_counts_[status - kStatusMin]); }
    uint64_t errors(TransportError error) const noexcept { return peek(errors_[static_cast<size_t>(error)]); }

    uint8_t cause(TransportError error) const noexcept {
        return causes_[static_cast<size_t>(error)].load(std::memory_order_relaxed);  // ORDER: statistics only
    }

    Counters counters;

    const Histogram& corrected() const noexcept { return corrected_; }
    const Histogram& send_delay() const noexcept { return send_delay_; }
    Histogram& corrected() noexcept { return corrected_; }
    const Histogram& first_byte() const noexcept { return first_byte_; }
    const Histogram& in_pieces() const noexcept { return in_pieces_; }
    const Histogram& tls() const noexcept { return tls_; }
    const Histogram& connect() const noexcept { return connect_; }

    // Facts about the worker itself, for the audit.
    uint64_t worst_stall_ns() const noexcept { return peek(worst_stall_ns_); }
    void stalled(uint64_t ns) noexcept {
        if (ns > worst_stall_ns_) std::atomic_ref<uint64_t>(worst_stall_ns_).store(ns, std::memory_order_relaxed);  // ORDER: statistics
    }
    uint64_t connections_live() const noexcept { return peek(connections_live_); }
    void connections_live(uint64_t n) noexcept {
        std::atomic_ref<uint64_t>(connections_live_).store(n, std::memory_order_relaxed);  // ORDER: statistics only
    }
    uint64_t connections_peak() const noexcept { return peek(connections_peak_); }
    void connections_peak(uint64_t n) noexcept {
        std::atomic_ref<uint64_t>(connections_peak_).store(n, std::memory_order_relaxed);  // ORDER: statistics only
    }

  private:
    static constexpr uint8_t kNone = 0xff;
    uint8_t new_status(unsigned status) noexcept;

    std::array<uint8_t, kStatusMax - kStatusMin + 1> slot_of_;
    std::array<uint16_t, kStatuses> status_of_{};
    std::atomic<uint32_t> statuses_used_{0};  // ORDER: released after the slot is filled in
    std::array<Histogram, kStatuses> service_;
    std::array<uint64_t, kStatusMax - kStatusMin + 1> status_counts_{};
    std::array<uint64_t, kTransportErrors> errors_{};
    std::array<std::atomic<uint8_t>, kTransportErrors> causes_{};  // ORDER: relaxed; statistics only
    Histogram corrected_, send_delay_, connect_, tls_, first_byte_, in_pieces_;
    uint64_t worst_stall_ns_ = 0, connections_live_ = 0, connections_peak_ = 0;
};

}  // namespace rl::stats
