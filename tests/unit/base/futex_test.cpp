// Waiting for a word: nobody sleeps through a change, whoever makes it. ORDER: sequentially consistent, as tests may be.
#include "core/base/futex.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace rl {
namespace {

TEST(Futex, AChangedWordIsNotWaitedFor) {
    const std::atomic<uint32_t> word{2};
    wait_for_change(word, 1, 0);
    SUCCEED() << "it came back";
}

TEST(Futex, TimeRunsOut) {
    const std::atomic<uint32_t> word{1};
    wait_for_change(word, 1, 1'000'000);
    wait_for_change(word, 1, 1);
    EXPECT_EQ(word.load(), 1u);
}

TEST(Futex, AllWhoWaitAreWoken) {
    std::atomic<uint32_t> word{0}, here{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] {
            ++here;
            wake_all(here);
            while (word.load() == 0) wait_for_change(word, 0, 0);
        });
    }
    for (uint32_t seen = 0; (seen = here.load()) < 4;) wait_for_change(here, seen, 0);
    word = 1;
    wake_all(word);
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(here.load(), 4u);
}

}  // namespace
}  // namespace rl
