// The tree that reporters read: valid text, finite numbers, keys, whatever the run was.
#include "core/report/tree.hpp"

#include <cmath>
#include <functional>
#include <limits>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "core/report/hdr_encode.hpp"
#include "core/report/utf8.hpp"
#include "tests/support/run_samples.hpp"

namespace rl::report {
namespace {

void walk(const rl_node& node, const std::function<void(const rl_node&)>& visit) {
    visit(node);
    if (node.type != RL_NODE_ARRAY && node.type != RL_NODE_OBJECT) return;
    for (uint32_t i = 0; i < node.count; ++i) walk(node.v.items[i], visit);
}

const rl_node* member(const rl_node& node, std::string_view key) {
    if (node.type != RL_NODE_OBJECT) return nullptr;
    for (uint32_t i = 0; i < node.count; ++i) {
        if (node.v.items[i].key == key) return &node.v.items[i];
    }
    return nullptr;
}

std::string_view text_of(const rl_node& node) { return {node.v.s.p, node.v.s.n}; }

ReportTree tree_of(const engine::RunResult& run) {
    return ReportTree::end(build_report(run, {.tool_version = "1", .exit_code = 0, .verdict = "passed"}));
}

TEST(Tree, EveryNodeIsWellFormedForEveryRun) {
    for (const auto name : tests::run_sample_names()) {
        const engine::RunResult run = tests::run_sample(name);
        const ReportTree tree = tree_of(run);
        ASSERT_EQ(tree.root()->key, nullptr);
        walk(*tree.root(), [&](const rl_node& node) {
            EXPECT_TRUE(node.type != RL_NODE_F64 || std::isfinite(node.v.d)) << name << " " << node.key;
            EXPECT_TRUE(node.type != RL_NODE_STRING || valid_utf8(text_of(node)) == text_of(node)) << name << " " << node.key;
            EXPECT_TRUE(node.type != RL_NODE_HISTOGRAM || node.v.histogram != nullptr) << name;
            for (uint32_t i = 0; node.type == RL_NODE_OBJECT && i < node.count; ++i) EXPECT_NE(node.v.items[i].key, nullptr) << name;
        });
    }
}

TEST(Tree, KeysDoNotDependOnTheRun) {
    const auto keys = [](std::string_view name) {
        const engine::RunResult run = tests::run_sample(name);
        const ReportTree tree = tree_of(run);
        std::string all;
        for (uint32_t i = 0; i < tree.root()->count; ++i) {
            const rl_node& block = tree.root()->v.items[i];
            all.append(block.key).append(" ");
            for (const std::string_view steady : {"summary", "rate", "transfer", "latency_ms", "audit", "config", "phases_ms"}) {
                if (block.key != steady) continue;
                for (uint32_t m = 0; m < block.count; ++m) all.append(block.v.items[m].key).append(" ");
            }
        }
        return all;
    };
    const std::string first = keys("closed");
    for (const auto name : tests::run_sample_names()) EXPECT_EQ(keys(name), first) << name;
}

TEST(Tree, TextOutlivesItsSource) {
    ReportTree tree = [] {
        engine::RunSpec spec;
        spec.request.url = "http://" + std::string(200, 'h') + "/";
        return ReportTree::effective(spec);
    }();
    ASSERT_NE(member(*tree.root(), "url"), nullptr);
    EXPECT_EQ(text_of(*member(*tree.root(), "url")), "http://" + std::string(200, 'h') + "/");
}

TEST(Tree, BigIntegersAreExact) {
    engine::RunSpec spec;
    spec.seed = std::numeric_limits<uint64_t>::max();
    const ReportTree tree = ReportTree::effective(spec);
    EXPECT_EQ(member(*tree.root(), "seed")->type, RL_NODE_U64);
    EXPECT_EQ(member(*tree.root(), "seed")->v.u, std::numeric_limits<uint64_t>::max());
}

TEST(Tree, EffectiveIsTheObjectOfTheReport) {
    const engine::RunResult run = tests::run_sample("mixed");
    const ReportTree alone = ReportTree::effective(run.spec);
    const ReportTree whole = tree_of(run);
    const rl_node* inside = member(*member(*whole.root(), "config"), "effective");
    ASSERT_NE(inside, nullptr);
    ASSERT_EQ(inside->count, alone.root()->count);
    for (uint32_t i = 0; i < inside->count; ++i) EXPECT_STREQ(inside->v.items[i].key, alone.root()->v.items[i].key);
}

TEST(Tree, ALongBodyIsNamedByItsSize) {
    engine::RunSpec spec;
    spec.request.has_body = true;
    spec.request.body.assign(5000, 'x');
    const ReportTree tree = ReportTree::effective(spec);
    EXPECT_EQ(member(*tree.root(), "body")->type, RL_NODE_NULL);
    EXPECT_EQ(member(*tree.root(), "body_bytes")->v.u, 5000u);
}

TEST(Tree, ASampleIsARowOfTheSeries) {
    const engine::RunResult run = tests::run_sample("closed");
    const ReportTree row = ReportTree::sample(run.series[1]);
    EXPECT_EQ(member(*row.root(), "at_seconds")->v.d, 1.0);
    EXPECT_EQ(member(*row.root(), "p50_ms")->v.d, 0.688);
    engine::Sample silent;
    EXPECT_EQ(member(*ReportTree::sample(silent).root(), "p50_ms")->type, RL_NODE_NULL);
}

TEST(Builder, WhatIsNotFiniteBecomesNull) {
    const NodeBuilder b;
    EXPECT_EQ(b.number("x", std::nan("")).type, RL_NODE_NULL);
    EXPECT_EQ(b.number("x", HUGE_VAL).type, RL_NODE_NULL);
    EXPECT_EQ(b.number("x", 0.5).type, RL_NODE_F64);
}

TEST(Utf8, KeepsWhatIsValid) {
    const std::string valid = "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\xed\x9f\xbf\xf4\x8f\xbf\xbf";
    EXPECT_EQ(valid_utf8(valid), valid);
    EXPECT_EQ(valid_utf8(std::string("\0", 1)), std::string("\0", 1));
}

TEST(Utf8, ReplacesWhatIsNot) {
    const std::string r = "\xef\xbf\xbd";
    EXPECT_EQ(valid_utf8("\xff"), r);
    EXPECT_EQ(valid_utf8("a\xc3"), "a" + r);                   // cut short
    EXPECT_EQ(valid_utf8("\xc0\xaf"), r + r);                  // overlong
    EXPECT_EQ(valid_utf8("\xe0\x9f\xbf"), r + r + r);          // overlong
    EXPECT_EQ(valid_utf8("\xed\xa0\x80"), r + r + r);          // surrogate
    EXPECT_EQ(valid_utf8("\xf4\x90\x80\x80"), r + r + r + r);  // past U+10FFFF
    EXPECT_EQ(valid_utf8("\xc3\x28"), r + "(");
}

TEST(Utf8, EveryPairOfOctetsComesOutValid) {
    for (int a = 0; a < 256; ++a) {
        for (int b = 0; b < 256; ++b) {
            const char pair[] = {static_cast<char>(a), static_cast<char>(b), '!'};
            const std::string once = valid_utf8({pair, 3});
            ASSERT_EQ(valid_utf8(once), once);
            ASSERT_EQ(once.back(), '!');
        }
    }
}

// The header of an empty histogram, and the size of a full one; contents are checked by a decoder in another language (tests/golden).
TEST(HdrEncode, BeginsWithTheCompressedCookie) { EXPECT_EQ(encode_hdr_v2(stats::Histogram()).substr(0, 8), "HISTFAAA"); }

TEST(HdrEncode, StaysSmall) {
    stats::Histogram h;
    for (uint64_t v = 1; v < 5'000'000'000; v += v / 500 + 1) h.record(v);
    EXPECT_LT(encode_hdr_v2(h).size(), 8192u);
}

}  // namespace
}  // namespace rl::report
