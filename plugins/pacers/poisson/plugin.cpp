// Pacer poisson: arrivals of many independent users. Gaps are exponential around 1/R, drawn from the run's seed.
#include <stdexcept>

#include "common/poisson_process.hpp"
#include "common/slot_walk.hpp"
#include "ringload/plugin.hpp"

namespace {

using rl::plugins::PoissonProcess;

class Arrivals {
  public:
    Arrivals(uint64_t seed, double gap_ns) noexcept : process_(seed), gap_ns_(gap_ns) {}
    uint64_t due_ns() const noexcept {
        const double at = process_.at() * gap_ns_;
        return at < 9.2e18 ? static_cast<uint64_t>(at) : rl::plugins::kNeverDue;
    }
    void advance() noexcept { process_.advance(); }

  private:
    PoissonProcess process_;
    double gap_ns_;
};

struct Poisson : rl::Pacer {
    static constexpr rl::Info info{"poisson", RL_PLUGIN_VERSION, "a mean rate with random gaps, as from many independent users",
                                   "MIT OR Apache-2.0"};

    explicit Poisson(const rl::Open<Poisson>& open) : arrivals(open.raw().seed, 1e9 / checked(open.raw().rate)) {}

    struct Worker : rl::plugins::SlotWalk<Arrivals> {
        Worker(Poisson& shared, const rl_worker& of) : SlotWalk(shared.arrivals, of.index, of.count) {}
    };

    static double checked(double rate) {
        if (rate <= 0) throw std::invalid_argument("it needs a rate; give one with --rate");
        if (rate > rl::plugins::kRandomRateMax) throw std::invalid_argument("random arrivals come at most at 10,000,000 a second");
        return rate;
    }
    Arrivals arrivals;
};

}  // namespace

RL_PLUGIN_EXPORT(Poisson)
