// Pacer stages: a rate that follows a profile of steps and ramps, with even or random gaps.
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

#include "common/poisson_process.hpp"
#include "common/slot_walk.hpp"
#include "pacers/stages/profile.hpp"
#include "ringload/plugin.hpp"

namespace {

using namespace rl::plugins;

// Slots come where the integral of the rate reaches 0, 1, 2, ..., or the events of a Poisson process of rate one.
class Slots {
  public:
    Slots(const std::vector<Stage>& stages, bool random, uint64_t seed) noexcept
        : process_(seed), random_(random), stages_(&stages), cursor_(stages) {
        look();
    }
    uint64_t due_ns() const noexcept { return due_ns_; }

    static constexpr uint64_t kMustWalk = UINT64_MAX;
    // By halving: the least k that is not due before the end.
    uint64_t slots_before(uint64_t end_ns) const noexcept {
        if (random_) return kMustWalk;
        uint64_t low = 0, high = uint64_t{1} << 53;
        while (low < high) {
            const uint64_t middle = low + (high - low) / 2;
            if (ProfileCursor(*stages_).reached_ns(static_cast<double>(middle)) < end_ns) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
    void advance() noexcept {
        random_ ? process_.advance() : static_cast<void>(count_ += 1);
        look();
    }

  private:
    void look() noexcept { due_ns_ = cursor_.reached_ns(random_ ? process_.at() : count_); }

    PoissonProcess process_;
    bool random_;
    const std::vector<Stage>* stages_;  // BORROWS: the plug-in outlives its workers
    double count_ = 0;                  // whole numbers, exact up to 2^53
    ProfileCursor cursor_;
    uint64_t due_ns_ = 0;
};

constexpr const char* kArrivals[] = {"constant", "poisson", nullptr};

struct Stages : rl::Pacer {
    static constexpr rl::Info info{"stages", RL_PLUGIN_VERSION, "a rate that follows steps and ramps", "MIT OR Apache-2.0"};
    static constexpr std::array options{
        rl::required(rl::option(RL_OPTION_STRING, "profile", "LIST", nullptr, "stages as SECONDS:RATE or SECONDS:FROM..TO, with commas")),
        rl::one_of(rl::option(RL_OPTION_STRING, "arrival", "KIND", "constant", "even gaps, or those of independent users"), kArrivals)};

    explicit Stages(const rl::Open<Stages>& open)
        : stages(parse_profile(open.string("profile"))), random(open.string("arrival") == "poisson"), seed(open.raw().seed) {
        for (const Stage& stage : stages) {
            if (random && (stage.from > kRandomRateMax || stage.to > kRandomRateMax)) {
                throw std::invalid_argument("random arrivals come at most at 10,000,000 a second");
            }
        }
    }

    struct Worker : SlotWalk<Slots> {
        Worker(Stages& shared, const rl_worker& of) : SlotWalk(Slots(shared.stages, shared.random, shared.seed), of.index, of.count) {}
    };

    std::vector<Stage> stages;
    bool random;
    uint64_t seed;
};

}  // namespace

RL_PLUGIN_EXPORT(Stages)
