// CPU lists, topology and pinning plans, on machines made of files.
#include "core/base/cpu.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace rl {
namespace {

// A sysfs tree in a folder of its own.
class Machine {
  public:
    Machine() {
        std::string name = ::testing::TempDir() + "ringload_cpu_XXXXXX";
        root_ = ::mkdtemp(name.data()) == nullptr ? "" : name;
    }
    ~Machine() {
        if (!root_.empty()) std::filesystem::remove_all(root_);
    }
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    void add(unsigned id, const std::string& core, const std::string& package) const {
        const std::string folder = root_ + "/cpu" + std::to_string(id) + "/topology";
        std::filesystem::create_directories(folder);
        std::ofstream(folder + "/core_id") << core << '\n';
        std::ofstream(folder + "/physical_package_id") << package << '\n';
    }
    const std::string& root() const { return root_; }

  private:
    std::string root_;
};

std::vector<unsigned> ids(const std::vector<Cpu>& cpus) {
    std::vector<unsigned> out;
    for (const Cpu& cpu : cpus) out.push_back(cpu.id);
    return out;
}

TEST(DescribeCpus, PhysicalCoresComeBeforeTheirSecondThreads) {
    const Machine machine;  // two sockets of two cores of two threads; neighbours in number share a core
    for (unsigned id = 0; id < 8; ++id) machine.add(id, std::to_string(id / 2 % 2), std::to_string(id / 4));
    const auto cpus = describe_cpus({0, 1, 2, 3, 4, 5, 6, 7}, machine.root());
    EXPECT_EQ(ids(cpus), (std::vector<unsigned>{0, 2, 4, 6, 1, 3, 5, 7}));
    EXPECT_EQ(cpus[1].package, 0U);
    EXPECT_EQ(cpus[2].package, 1U);
    EXPECT_EQ(cpus[4].thread, 1U);
}

TEST(DescribeCpus, AnAllowedSecondThreadAloneIsACore) {
    const Machine machine;
    for (unsigned id = 0; id < 4; ++id) machine.add(id, std::to_string(id / 2), "0");
    EXPECT_EQ(ids(describe_cpus({3, 1}, machine.root())), (std::vector<unsigned>{1, 3}));
}

TEST(DescribeCpus, UnknownTopologyMeansACoreEach) {
    const Machine machine;
    machine.add(0, "garbage", "0");
    machine.add(1, "-1", "0");  // as some virtual machines say
    const auto cpus = describe_cpus({2, 1, 0}, machine.root());
    EXPECT_EQ(ids(cpus), (std::vector<unsigned>{0, 1, 2}));
    for (const Cpu& cpu : cpus) EXPECT_EQ(cpu.thread, 0U);
}

TEST(AllowedCpus, ThisMachineHasAtLeastOne) { EXPECT_FALSE(allowed_cpus().empty()); }

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
    EXPECT_EQ(missing.error().text, "cannot run a worker on CPU 65535: Invalid argument");
}

}  // namespace
}  // namespace rl
