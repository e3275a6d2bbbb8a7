// Latencies in fixed memory: high dynamic range buckets (the layout of HdrHistogram with 3 significant digits, unit 1 ns).
//
// Values below 2048 ns have a bucket each; above, every power of two is cut into 1024 buckets, so that a bucket is at most 0.1 % wide.
// Values up to 2^42 ns (73 minutes) are kept; greater ones are counted as overflow and still move max and mean.
//
// Threads: one writer calls record(). Any thread may read while it writes: every word is written and read as a relaxed atomic, which
// costs the writer nothing (no lock prefix) and gives the reader a snapshot that is at most a few records torn. After the writer has
// stopped, figures are exact. The memory is mapped lazily: buckets that are never hit cost no page.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace rl::stats {

// A plain add to a word which other threads may read at any time.
inline void bump(uint64_t& word, uint64_t amount) noexcept {
    std::atomic_ref<uint64_t> shared(word);
    shared.store(shared.load(std::memory_order_relaxed) + amount, std::memory_order_relaxed);  // ORDER: one writer, statistics only
}
inline uint64_t peek(const uint64_t& word) noexcept {
    return std::atomic_ref<uint64_t>(const_cast<uint64_t&>(word)).load(std::memory_order_relaxed);  // ORDER: statistics only
}

class Histogram {
  public:
    static constexpr unsigned kSubBits = 10;                                    // 1024 buckets for each power of two
    static constexpr unsigned kTopBit = 42;                                     // values below 2^42 are kept
    static constexpr size_t kBuckets = ((kTopBit - kSubBits) + 1) << kSubBits;  // 33,792
    static constexpr uint64_t kLimit = uint64_t{1} << kTopBit;

    Histogram();  // maps zeroed memory; throws std::bad_alloc
    ~Histogram();
    Histogram(Histogram&& other) noexcept;
    Histogram& operator=(Histogram&& other) noexcept;
    Histogram(const Histogram&) = delete;
    Histogram& operator=(const Histogram&) = delete;

    static constexpr size_t bucket_of(uint64_t value) noexcept {
        const unsigned top = 63u - static_cast<unsigned>(std::countl_zero(value | 1));
        const unsigned shift = top <= kSubBits ? 0 : top - kSubBits;
        return (static_cast<size_t>(shift) << kSubBits) + static_cast<size_t>(value >> shift);
    }
    static constexpr uint64_t bucket_low(size_t bucket) noexcept {
        const size_t octave = bucket >> kSubBits;
        const size_t shift = octave == 0 ? 0 : octave - 1;
        return static_cast<uint64_t>(bucket - (shift << kSubBits)) << shift;
    }
    static constexpr uint64_t bucket_high(size_t bucket) noexcept { return bucket_low(bucket + 1); }  // exclusive

    // HOT: no allocation, lock or system call.
    void record(uint64_t value) noexcept {
        Head& h = *head_;
        if (value < kLimit) [[likely]] {
            bump(counts()[bucket_of(value)], 1);
        } else {
            bump(h.overflow, 1);
        }
        const uint64_t sum = h.sum + value;
        store(h.sum, sum);
        if (sum < value) [[unlikely]]
            bump(h.sum_carry, 1);
        if (value > h.max) [[unlikely]]
            store(h.max, value);
        if (value < h.min) [[unlikely]]
            store(h.min, value);
    }

    // `n` times the same. Not for the hot path.
    void record_many(uint64_t value, uint64_t n) noexcept;
    void add(const Histogram& other) noexcept;         // exact once other's writer has stopped
    void subtract(const Histogram& earlier) noexcept;  // this - earlier, for the figures of one interval; min and max become bucket bounds
    void clear() noexcept;

    uint64_t count() const noexcept;  // overflow included
    uint64_t overflow() const noexcept { return peek(head_->overflow); }
    uint64_t min() const noexcept;  // exact; 0 if empty
    uint64_t max() const noexcept;  // exact; 0 if empty
    double mean() const noexcept;   // exact; 0 if empty
    double stdev() const noexcept;  // from bucket middles; 0 if empty
    // Nearest rank: the smallest bucket at or below which percentile % of the values lie, reported as the highest value which is
    // equivalent to it, never above max(). percentile 0..100. 0 if empty.
    uint64_t value_at(double percentile) const noexcept;

    template <class F>  // f(low, high_exclusive, count) for every bucket that is not empty, ascending
    void each(F&& f) const {
        const uint64_t* c = counts();
        for (size_t i = first_bucket(), end = last_bucket(); i <= end && i < kBuckets; ++i) {
            if (const uint64_t n = peek(c[i])) f(bucket_low(i), bucket_high(i), n);
        }
    }

  private:
    struct Head {
        uint64_t min, max, sum, overflow;
        uint64_t sum_carry;  // how often sum wrapped: an hour of overload adds up to more than 2^64 ns
        uint64_t pad[3];
    };
    static void store(uint64_t& word, uint64_t value) noexcept {
        std::atomic_ref<uint64_t>(word).store(value, std::memory_order_relaxed);  // ORDER: one writer, statistics only
    }
    uint64_t* counts() const noexcept { return reinterpret_cast<uint64_t*>(head_ + 1); }
    size_t first_bucket() const noexcept;  // bucket of min; so that readers skip what was never touched
    size_t last_bucket() const noexcept;

    Head* head_;  // OWNS: one mapping, head then counts
};

}  // namespace rl::stats
