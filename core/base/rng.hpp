// A small seeded generator (xorshift64*, Marsaglia 2003 and Vigna 2016): repeatable, one per worker, not for secrets.
#pragma once

#include <cstdint>

namespace rl {

class Rng {
  public:
    void seed(uint64_t seed) noexcept { state_ = seed != 0 ? seed : 0x2545f4914f6cdd1du; }
    uint64_t next() noexcept {
        state_ ^= state_ >> 12;
        state_ ^= state_ << 25;
        state_ ^= state_ >> 27;
        return state_ * 0x2545f4914f6cdd1du;
    }
    // A whole number in low..high.
    uint64_t between(uint64_t low, uint64_t high) noexcept {
        __extension__ typedef unsigned __int128 Wide;
        return low + static_cast<uint64_t>((static_cast<Wide>(next()) * (high - low + 1)) >> 64);
    }

  private:
    uint64_t state_ = 0x2545f4914f6cdd1du;
};

}  // namespace rl
