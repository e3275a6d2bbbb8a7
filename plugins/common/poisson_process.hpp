// A seeded Poisson process of rate one: the instants of its events, one after the other. A pacer stretches them to its own rate, which
// gives a Poisson process of that rate (Cox and Lewis, The Statistical Analysis of Series of Events, 1966, 2.2: the change of time).
//
// All workers walk through the same process and each takes every W-th event, so the arrivals of a run depend on the seed alone and not
// on how many workers share them.
#pragma once

#include <cmath>
#include <cstdint>

namespace rl::plugins {

// Every event is walked through by every worker, so more than this is not worth having.
inline constexpr double kRandomRateMax = 1e7;

class PoissonProcess {
  public:
    explicit PoissonProcess(uint64_t seed) noexcept : state_(seed) { advance(); }

    double at() const noexcept { return at_; }  // of the current event, in units of the mean gap
    void advance() noexcept { at_ += -std::log(uniform()); }

  private:
    // Above 0 and at most 1: its logarithm exists.
    double uniform() noexcept { return (static_cast<double>(next() >> 11) + 1) * 0x1p-53; }
    // SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
    uint64_t next() noexcept {
        uint64_t z = state_ += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }

    uint64_t state_;
    double at_ = 0;
};

}  // namespace rl::plugins
