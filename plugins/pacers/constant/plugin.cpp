// Pacer constant: slot k of one global timeline is due at k/R; worker w of W owns the slots k = w mod W. See timeline.hpp.
#include <limits>
#include <stdexcept>

#include "pacers/constant/timeline.hpp"
#include "ringload/plugin.hpp"

namespace {

using rl::plugins::Timeline;

struct Constant : rl::Pacer {
    static constexpr rl::Info info{"constant", RL_PLUGIN_VERSION, "a fixed rate on one timeline that is never moved", "MIT OR Apache-2.0"};

    explicit Constant(const rl::Open<Constant>& open) : timeline(rl::plugins::simple_fraction(checked(open.raw().rate))) {}

    struct Worker {
        Worker(Constant& shared, const rl_worker& of)
            : timeline(shared.timeline), index(of.index), count(of.count), walk(timeline, of.index, of.count) {}

        int32_t grant(uint64_t now_ns, std::span<uint64_t> due_ns, uint64_t& next_ns) {
            size_t n = 0;
            for (; n < due_ns.size() && walk.due_ns() <= now_ns; ++n) {
                due_ns[n] = walk.due_ns();
                walk.advance();
            }
            next_ns = walk.due_ns();
            return static_cast<int32_t>(n);
        }
        uint64_t scheduled(uint64_t end_ns) const {
            const uint64_t all = timeline.slots_before(end_ns);
            return all / count + (index < all % count ? 1 : 0);
        }

        Timeline timeline;
        uint64_t index, count;
        Timeline::Walk walk;
    };

    static double checked(double rate) {
        if (rate <= 0) throw std::invalid_argument("it needs a rate; give one with --rate");
        if (rate < rl::plugins::kRateMin || rate > rl::plugins::kRateMax) {
            throw std::invalid_argument("the rate is out of its range; give 1e-9 to 1e12 requests per second");
        }
        return rate;
    }
    Timeline timeline;
};

}  // namespace

RL_PLUGIN_EXPORT(Constant)
