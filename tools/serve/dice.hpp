// The only source of chance in `ringload serve`: seeded, one per worker, the same on every machine.
#pragma once

#include <cstdint>

namespace rl::serve {

class Dice {
  public:
    explicit Dice(uint64_t seed) : state_(seed) {}

    uint64_t next() noexcept {
        state_ += 0x9E3779B97F4A7C15ULL;
        uint64_t mixed = state_;
        mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9ULL;
        mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBULL;
        return mixed ^ (mixed >> 31);
    }

    // From 0 up to, but never reaching, 1.
    double fraction() noexcept { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  private:
    uint64_t state_;
};

}  // namespace rl::serve
