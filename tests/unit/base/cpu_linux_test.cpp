// Topology as Linux tells it, on machines made of files.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/base/cpu.hpp"
#include "tests/support/temporary_folder.hpp"

namespace rl {
namespace {

// A sysfs tree in a folder of its own.
class Machine {
  public:
    void add(unsigned id, const std::string& core, const std::string& package) const {
        const std::string folder = "cpu" + std::to_string(id) + "/topology/";
        folder_.add(folder + "core_id", core + "\n");
        folder_.add(folder + "physical_package_id", package + "\n");
    }
    std::string root() const { return folder_.text(); }

  private:
    testing::TemporaryFolder folder_;
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

TEST(PinThisThread, SaysWhyItCannot) {
    const auto missing = pin_this_thread(65'535);
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().text, "cannot run a worker on CPU 65535: Invalid argument");
}

}  // namespace
}  // namespace rl
