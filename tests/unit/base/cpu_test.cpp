// CPU lists, orders of use and pinning plans, on machines that are not there.
#include "core/base/cpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace rl {
namespace {

std::vector<unsigned> ids(const std::vector<Cpu>& cpus) {
    std::vector<unsigned> out;
    for (const Cpu& cpu : cpus) out.push_back(cpu.id);
    return out;
}

TEST(InOrderOfUse, FirstThreadsComeBeforeSecondOnesWhateverTheOrderGiven) {
    const auto cpus = in_order_of_use({{3, 1, 0, 0}, {0, 0, 0, 0}, {2, 1, 0, 0}, {1, 0, 0, 0}, {4, 0, 1, 0}});
    EXPECT_EQ(ids(cpus), (std::vector<unsigned>{0, 2, 4, 1, 3}));
    EXPECT_EQ(cpus[2].thread, 0U) << "the same core number in another package";
    EXPECT_EQ(cpus[4].thread, 1U);
}

TEST(AllowedCpus, ThisMachineHasAtLeastOneAndNoneTwice) {
    std::vector<unsigned> found = ids(allowed_cpus());
    EXPECT_FALSE(found.empty());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
}

std::string shown(const Result<std::vector<unsigned>>& list) {
    if (!list) return list.error().text;
    std::string out;
    for (const unsigned id : *list) out += std::to_string(id) + " ";
    return out;
}

TEST(ParseCpuList, ReadsNumbersAndRangesInTheOrderGiven) {
    EXPECT_EQ(shown(parse_cpu_list("0")), "0 ");
    EXPECT_EQ(shown(parse_cpu_list("3,0-2,7")), "3 0 1 2 7 ");
    EXPECT_EQ(shown(parse_cpu_list("5-5")), "5 ");
}

TEST(ParseCpuList, Refuses) {
    EXPECT_EQ(shown(parse_cpu_list("")), "\"\" is empty; a whole number is needed");
    EXPECT_EQ(shown(parse_cpu_list("0,")), "\"\" is empty; a whole number is needed");
    EXPECT_EQ(shown(parse_cpu_list("a")), "\"a\" is not a whole number");
    EXPECT_EQ(shown(parse_cpu_list("5-2")), "\"5-2\" runs backwards");
    EXPECT_EQ(shown(parse_cpu_list("0-3,2")), "CPU 2 is listed twice");
    EXPECT_EQ(shown(parse_cpu_list("0-99999")), "\"99999\" is too large; the most is 65535");
}

TEST(AutomaticPins, OneCpuIsLeftOver) {
    const std::vector<Cpu> cpus = {{0, 0, 0, 0}, {2, 1, 0, 0}, {1, 0, 0, 1}};
    EXPECT_EQ(automatic_pins(cpus, 1), (std::vector<int>{0}));
    EXPECT_EQ(automatic_pins(cpus, 2), (std::vector<int>{0, 2}));
    EXPECT_EQ(automatic_pins(cpus, 3), (std::vector<int>{-1, -1, -1}));
    EXPECT_EQ(automatic_pins(cpus, 4), (std::vector<int>{-1, -1, -1, -1}));
}

TEST(ListedPins, StartsOverWhenTheListIsShorter) {
    const std::vector<Cpu> cpus = {{0, 0, 0, 0}, {1, 1, 0, 0}, {2, 2, 0, 0}};
    EXPECT_EQ(*listed_pins(cpus, {2, 0}, 3), (std::vector<int>{2, 0, 2}));
}

TEST(ListedPins, RefusesACpuThatIsNotAllowed) {
    const std::vector<Cpu> cpus = {{0, 0, 0, 0}, {2, 1, 0, 0}};
    const auto pins = listed_pins(cpus, {1}, 1);
    ASSERT_FALSE(pins);
    EXPECT_EQ(pins.error().text, "CPU 1 is not one that this process may use; it has 0,2");
}

TEST(PinThisThread, RunsOnAnAllowedCpuAndNotOnOneThatDoesNotExist) {
    const auto allowed = allowed_cpus();
    EXPECT_TRUE(pin_this_thread(allowed[0].id));
    const auto missing = pin_this_thread(65'535);
    ASSERT_FALSE(missing);
    EXPECT_TRUE(missing.error().text.starts_with("cannot run a worker on CPU 65535: ")) << missing.error().text;
}

}  // namespace
}  // namespace rl
