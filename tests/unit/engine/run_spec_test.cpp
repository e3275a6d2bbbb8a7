// Shares of a whole: none lost, none twice, none more than one larger than another.
#include "core/engine/run_spec.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace rl::engine {
namespace {

TEST(ShareOf, SharesAddUpAndDifferByOneAtMost) {
    for (const uint64_t total :
         {uint64_t{0}, uint64_t{1}, uint64_t{2}, uint64_t{7}, uint64_t{100}, uint64_t{1001}, uint64_t{1} << 40, UINT64_MAX}) {
        for (uint64_t count = 1; count <= 65; ++count) {
            uint64_t sum = 0, least = UINT64_MAX, most = 0;
            for (uint64_t index = 0; index < count; ++index) {
                const uint64_t share = share_of(total, index, count);
                sum += share;
                least = std::min(least, share);
                most = std::max(most, share);
            }
            EXPECT_EQ(sum, total) << count;
            EXPECT_LE(most - least, 1u) << total << " over " << count;
        }
    }
}

}  // namespace
}  // namespace rl::engine
