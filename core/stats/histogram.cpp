#include "core/stats/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#include "core/base/memory.hpp"

namespace rl::stats {
namespace {

__extension__ typedef unsigned __int128 Wide;

constexpr uint64_t kNoMin = std::numeric_limits<uint64_t>::max();
constexpr double kCarry = 18446744073709551616.0;  // 2^64: the worth of one carry

constexpr size_t mapped_bytes(size_t head_bytes) { return head_bytes + Histogram::kBuckets * sizeof(uint64_t); }

// Values that are all in the mapping's buckets: overflow is clamped to the last one, so that a range of buckets can be named.
constexpr uint64_t clamped(uint64_t value) { return std::min(value, Histogram::kLimit - 1); }

}  // namespace

Histogram::Histogram() {
    // Fresh pages are zero and cost nothing until they are written, which is what makes a wide range cheap.
    void* memory = map_pages(mapped_bytes(sizeof(Head)));
    if (memory == nullptr) throw std::bad_alloc();
    head_ = static_cast<Head*>(memory);
    head_->min = kNoMin;
}

Histogram::~Histogram() {
    if (head_ != nullptr) unmap_pages(head_, mapped_bytes(sizeof(Head)));
}

Histogram::Histogram(Histogram&& other) noexcept : head_(std::exchange(other.head_, nullptr)) {}

Histogram& Histogram::operator=(Histogram&& other) noexcept {
    std::swap(head_, other.head_);
    return *this;
}

size_t Histogram::first_bucket() const noexcept { return bucket_of(clamped(peek(head_->min))); }

size_t Histogram::last_bucket() const noexcept { return bucket_of(clamped(peek(head_->max))); }

void Histogram::record_many(uint64_t value, uint64_t n) noexcept {
    if (n == 0) return;
    record(value);
    Head& h = *head_;
    bump(value < kLimit ? counts()[bucket_of(value)] : h.overflow, n - 1);
    const Wide sum = (Wide{h.sum_carry} << 64 | h.sum) + Wide{value} * (n - 1);
    store(h.sum, static_cast<uint64_t>(sum));
    store(h.sum_carry, static_cast<uint64_t>(sum >> 64));
}

void Histogram::add(const Histogram& other) noexcept {
    const Head& from = *other.head_;
    const uint64_t* theirs = other.counts();
    uint64_t* ours = counts();
    for (size_t i = other.first_bucket(), end = other.last_bucket(); i <= end; ++i) {
        if (const uint64_t n = peek(theirs[i])) bump(ours[i], n);
    }
    Head& h = *head_;
    bump(h.overflow, peek(from.overflow));
    const uint64_t sum = h.sum + peek(from.sum);
    const uint64_t carry = sum < h.sum ? 1 : 0;
    store(h.sum, sum);
    bump(h.sum_carry, peek(from.sum_carry) + carry);
    store(h.max, std::max(h.max, peek(from.max)));
    store(h.min, std::min(h.min, peek(from.min)));
}

void Histogram::subtract(const Histogram& earlier) noexcept {
    const Head& from = *earlier.head_;
    const uint64_t* theirs = earlier.counts();
    uint64_t* ours = counts();
    Head& h = *head_;
    size_t first = kBuckets;
    size_t last = 0;
    for (size_t i = first_bucket(), end = last_bucket(); i <= end; ++i) {
        if (const uint64_t n = theirs[i]; n != 0) store(ours[i], ours[i] - std::min(n, ours[i]));
        if (ours[i] == 0) continue;
        first = std::min(first, i);
        last = i;
    }
    store(h.overflow, h.overflow - std::min(from.overflow, h.overflow));
    const uint64_t borrow = h.sum < from.sum ? 1 : 0;
    store(h.sum, h.sum - from.sum);
    store(h.sum_carry, h.sum_carry - std::min(from.sum_carry + borrow, h.sum_carry));

    // What is known of the extremes of the rest: its outermost buckets, which no value of the whole lies outside of.
    const bool only_overflow = first == kBuckets;
    if (only_overflow && h.overflow == 0) {
        clear();
        return;
    }
    store(h.min, only_overflow ? std::max(h.min, kLimit) : std::max(h.min, bucket_low(first)));
    if (h.overflow == 0) store(h.max, std::min(h.max, bucket_high(last) - 1));
}

void Histogram::clear() noexcept {
    uint64_t* c = counts();
    for (size_t i = first_bucket(), end = last_bucket(); i <= end; ++i) {
        if (c[i] != 0) store(c[i], 0);
    }
    Head& h = *head_;
    store(h.min, kNoMin);
    store(h.max, 0);
    store(h.sum, 0);
    store(h.sum_carry, 0);
    store(h.overflow, 0);
}

uint64_t Histogram::count() const noexcept {
    uint64_t sum = overflow();
    each([&](uint64_t, uint64_t, uint64_t n) { sum += n; });
    return sum;
}

uint64_t Histogram::min() const noexcept {
    const uint64_t value = peek(head_->min);
    return value == kNoMin ? 0 : value;
}

uint64_t Histogram::max() const noexcept { return peek(head_->max); }

double Histogram::mean() const noexcept {
    const uint64_t n = count();
    if (n == 0) return 0;
    const double sum = static_cast<double>(peek(head_->sum)) + static_cast<double>(peek(head_->sum_carry)) * kCarry;
    return sum / static_cast<double>(n);
}

double Histogram::stdev() const noexcept {
    const uint64_t n = count();
    if (n == 0) return 0;
    // Deviations are taken from the mean of the bucket middles, not from the exact mean, so that equal values have none.
    double weighted = static_cast<double>(overflow()) * static_cast<double>(max());
    const auto middle = [](uint64_t low, uint64_t high) { return static_cast<double>(low) + static_cast<double>(high - 1 - low) / 2; };
    each([&](uint64_t low, uint64_t high, uint64_t k) { weighted += middle(low, high) * static_cast<double>(k); });
    const double centre = weighted / static_cast<double>(n);
    const auto square = [centre](double value) { return (value - centre) * (value - centre); };
    double squares = static_cast<double>(overflow()) * square(static_cast<double>(max()));
    each([&](uint64_t low, uint64_t high, uint64_t k) { squares += square(middle(low, high)) * static_cast<double>(k); });
    return std::sqrt(squares / static_cast<double>(n));
}

uint64_t Histogram::value_at(double percentile) const noexcept {
    const uint64_t n = count();
    if (n == 0) return 0;
    const double share = std::clamp(percentile, 0.0, 100.0) / 100.0;
    // The product is taken a hair low: 99.9 % of 1000 must be rank 999 although 99.9 / 100 is not exact in binary.
    const double exact = share * static_cast<double>(n);
    const double rank_real = std::ceil(exact - exact * 1e-12);
    const uint64_t rank = std::clamp<uint64_t>(static_cast<uint64_t>(rank_real), 1, n);
    uint64_t seen = 0;
    uint64_t found = max();
    each([&](uint64_t, uint64_t high, uint64_t k) {
        if (seen < rank && seen + k >= rank) found = std::min(found, high - 1);
        seen += k;
    });
    return found;
}

}  // namespace rl::stats
