// A pacer as someone outside would write it: every GAP a burst of SIZE slots that are due at once.
#include "ringload/plugin.hpp"

struct Bursts : rl::Pacer {
    static constexpr rl::Info info{"oot_bursts", "1.0", "many at once, then none", "MIT"};
    static constexpr std::array options{
        rl::option(RL_OPTION_DURATION, "gap", "TIME", "10ms", "from one burst to the next", 1, 3'600'000'000'000),
        rl::option(RL_OPTION_U64, "size", "N", "5", "slots of a burst", 1, 1'000'000),
    };
    explicit Bursts(const rl::Open<Bursts>& open) : gap(static_cast<uint64_t>(open.i64("gap"))), size(open.u64("size")) {}

    struct Worker {
        Worker(Bursts& shared, const rl_worker& worker) : all(shared), slot(worker.index), index(worker.index), count(worker.count) {}

        int32_t grant(uint64_t now_ns, std::span<uint64_t> due_ns, uint64_t& next_ns) {
            size_t n = 0;
            for (; n < due_ns.size() && due() <= now_ns; ++n, slot += count) due_ns[n] = due();
            next_ns = due();
            return static_cast<int32_t>(n);
        }
        uint64_t scheduled(uint64_t end_ns) const {
            const uint64_t slots = (end_ns + all.gap - 1) / all.gap * all.size;
            return slots / count + (index < slots % count ? 1 : 0);
        }
        uint64_t due() const { return slot / all.size * all.gap; }

        Bursts& all;
        uint64_t slot, index, count;
    };
    uint64_t gap, size;
};

RL_PLUGIN_EXPORT(Bursts)
