// What a plug-in can do through its host: memory, clock, log, histograms.
#include "core/module/host_table.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace rl::module {
namespace {

TEST(HostTable, MemoryIsZeroedAndAligned) {
    const HostTable host("demo");
    const rl_host* const h = host.get();
    EXPECT_EQ(h->size, sizeof(rl_host));
    for (const size_t align : {size_t{0}, size_t{8}, size_t{4096}}) {
        auto* const memory = static_cast<unsigned char*>(h->alloc(h->self, 1000, align, 3));
        ASSERT_NE(memory, nullptr);
        EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % (align == 0 ? 64 : align), 0u);
        for (size_t i = 0; i < 1000; ++i) ASSERT_EQ(memory[i], 0);
        h->free(h->self, memory);
    }
    void* const nothing = h->alloc(h->self, 0, 0, 0);
    EXPECT_NE(nothing, nullptr);
    h->free(h->self, nothing);
    h->free(h->self, nullptr);
    EXPECT_EQ(h->alloc(h->self, 8, 96, 0), nullptr) << "no power of two";
    EXPECT_EQ(h->alloc(h->self, SIZE_MAX - 4096, 0, 0), nullptr);
}

TEST(HostTable, TheClockIsTheRunsOwn) {
    uint64_t ticks = 77;
    const HostTable fixed("demo", LogLevel::warning, {[](void* self) { return *static_cast<uint64_t*>(self); }, &ticks});
    EXPECT_EQ(fixed.get()->now_ns(fixed.get()->self), 77u);
    const HostTable real("demo");
    const uint64_t first = real.get()->now_ns(real.get()->self);
    EXPECT_GT(first, 0u);
    EXPECT_GE(real.get()->now_ns(real.get()->self), first);
}

// What goes to stderr while f runs.
template <class F>
std::string captured(F&& f) {
    ::testing::internal::CaptureStderr();
    f();
    return ::testing::internal::GetCapturedStderr();
}

TEST(HostTable, LogLinesBearTheNameAndStayOneLine) {
    const HostTable host("demo", LogLevel::info);
    const rl_host* const h = host.get();
    EXPECT_EQ(captured([&] { h->log(h->self, RL_LOG_WARNING, "line 3 is\nodd\x1b[2J"); }), "ringload: warning: demo: line 3 is odd [2J\n");
    EXPECT_EQ(captured([&] { h->log(h->self, RL_LOG_INFO, "x"); }), "ringload: info: demo: x\n");
    EXPECT_EQ(captured([&] { h->log(h->self, RL_LOG_DEBUG, "x"); }), "");
    EXPECT_EQ(captured([&] { h->log(h->self, 99, "x"); }), "") << "an unknown level is the least grave";
    EXPECT_EQ(captured([&] { h->log(h->self, RL_LOG_ERROR, nullptr); }), "");
    const std::string longest = captured([&] { h->log(h->self, RL_LOG_ERROR, std::string(5000, 'x').c_str()); });
    EXPECT_EQ(longest.back(), '\n');
    EXPECT_LT(longest.size(), 2100u);
}

TEST(HostTable, HistogramsAreReadThroughIt) {
    stats::Histogram histogram;
    const HostTable host("demo");
    const rl_host* const h = host.get();
    EXPECT_EQ(h->hist_count(as_opaque(histogram)), 0u);
    EXPECT_EQ(h->hist_value_at(as_opaque(histogram), 50), 0u);
    for (uint64_t value = 1; value <= 100; ++value) histogram.record(value);
    EXPECT_EQ(h->hist_count(as_opaque(histogram)), 100u);
    EXPECT_EQ(h->hist_min(as_opaque(histogram)), 1u);
    EXPECT_EQ(h->hist_max(as_opaque(histogram)), 100u);
    EXPECT_EQ(h->hist_mean(as_opaque(histogram)), 50.5);
    EXPECT_EQ(h->hist_value_at(as_opaque(histogram), 50), 50u);
    EXPECT_EQ(h->hist_value_at(as_opaque(histogram), 1000), 100u);
    EXPECT_EQ(h->hist_value_at(as_opaque(histogram), -1), h->hist_value_at(as_opaque(histogram), 0));
    struct Seen {
        std::vector<uint64_t> lows;
        uint64_t count = 0;
    } seen;
    h->hist_each(
        as_opaque(histogram),
        [](void* context, uint64_t low, uint64_t high, uint64_t count) {
            auto& all = *static_cast<Seen*>(context);
            EXPECT_EQ(high, low + 1);
            all.lows.push_back(low);
            all.count += count;
        },
        &seen);
    EXPECT_EQ(seen.count, 100u);
    EXPECT_EQ(seen.lows.front(), 1u);
    EXPECT_EQ(seen.lows.back(), 100u);
}

}  // namespace
}  // namespace rl::module
