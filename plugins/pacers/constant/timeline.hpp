// The timeline of a constant rate R: slot k is due k/R after the start, rounded down to a nanosecond, for every k, however long the
// run. Only whole numbers are used, so that nothing drifts; the rate is a simple fraction that means the given double, because people
// write 100/m, not 1.6666666666666667.
#pragma once

#include <cstdint>

namespace rl::plugins {

__extension__ typedef unsigned __int128 Wide;

// A rate of slots/seconds, in lowest terms.
struct Fraction {
    uint64_t slots = 0, seconds = 1;
};
inline constexpr double kRateMin = 1e-9, kRateMax = 1e12;  // one slot in 31 years; a thousand in a nanosecond

// The first convergent of `rate` which, as a double, is exactly `rate`. rate is within kRateMin..kRateMax.
Fraction simple_fraction(double rate);

class Timeline {
  public:
    explicit Timeline(Fraction rate) : rate_(rate) {}

    uint64_t slots_before(uint64_t end_ns) const noexcept;  // how many slots are due before end_ns

    // The slots first, first + stride, ... one after the other, without a division for each.
    class Walk {
      public:
        Walk(const Timeline& timeline, uint64_t first, uint64_t stride) noexcept;
        uint64_t due_ns() const noexcept { return due_ns_; }  // INT64_MAX if it is later than can be told
        void advance() noexcept;

      private:
        uint64_t due_ns_, rest_;        // due time and what was rounded off, in units of 1/slots of a nanosecond
        uint64_t step_ns_, step_rest_;  // the same for one stride
        uint64_t slots_;
    };

  private:
    Fraction rate_;
};

}  // namespace rl::plugins
