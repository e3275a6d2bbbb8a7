// Option tables and given strings to values: types, ranges, choices, defaults, and the sentences of refusals.
#include "core/module/option_binding.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <string_view>

namespace rl::module {
namespace {

using Given = std::vector<engine::OptionValue>;

rl_option option(uint32_t type, const char* name, const char* def = nullptr, int64_t min = 0, int64_t max = 0) {
    return {name, "X", def, "help of it", nullptr, min, max, type, 0};
}
OptionTable table(std::span<const rl_option> options) { return {"demo", options.data(), static_cast<uint32_t>(options.size())}; }

// The one value of a table with one option, given this text. Not for strings: what they point to is gone with the options.
Result<rl_value> bound(const rl_option& declared, const char* text) {
    auto options = bind_options(table({&declared, 1}), Given{{"demo", declared.name, text}});
    if (!options) return options.error();
    return options->values()[0];
}
std::string refusal(const rl_option& declared, const char* text) {
    auto value = bound(declared, text);
    return value ? "accepted" : value.error().text;
}

TEST(OptionBinding, EveryTypeArrivesInItsOwnField) {
    EXPECT_EQ(bound(option(RL_OPTION_BOOL, "o"), "yes")->v.i, 1);
    EXPECT_EQ(bound(option(RL_OPTION_BOOL, "o"), "off")->v.i, 0);
    EXPECT_EQ(bound(option(RL_OPTION_I64, "o"), "-12")->v.i, -12);
    EXPECT_EQ(bound(option(RL_OPTION_U64, "o"), "18446744073709551615")->v.u, UINT64_MAX);
    EXPECT_EQ(bound(option(RL_OPTION_F64, "o"), "-0.25")->v.d, -0.25);
    EXPECT_EQ(bound(option(RL_OPTION_DURATION, "o"), "1.5s")->v.i, 1'500'000'000);
    EXPECT_EQ(bound(option(RL_OPTION_SIZE, "o"), "64KiB")->v.u, 65536u);
    EXPECT_EQ(bound(option(RL_OPTION_RATE, "o"), "30/m")->v.d, 0.5);
    EXPECT_EQ(bound(option(RL_OPTION_RATE, "o"), "30/m")->type, uint32_t{RL_OPTION_RATE});
}

TEST(OptionBinding, AStringIsTerminatedAndOutlivesWhatWasGiven) {
    const rl_option declared = option(RL_OPTION_STRING, "path");
    Result<BoundOptions> moved = [&] {
        Given given{{"demo", "path", "short"}};
        auto options = bind_options(table({&declared, 1}), given);
        given[0].value = "overwritten";
        return options;
    }();
    const BoundOptions again = std::move(*moved);
    EXPECT_STREQ(again.values()[0].v.s.p, "short");
    EXPECT_EQ(again.values()[0].v.s.n, 5u);
}

TEST(OptionBinding, ValuesKeepTheOrderOfTheTable) {
    const std::array options = {option(RL_OPTION_U64, "a", "1"), option(RL_OPTION_U64, "b"), option(RL_OPTION_U64, "c")};
    auto values = bind_options(table(options), Given{{"demo", "c", "3"}});
    ASSERT_EQ(values->count(), 3u);
    EXPECT_EQ(values->values()[0].v.u, 1u);
    EXPECT_EQ(values->values()[0].is_set, 1u);
    EXPECT_EQ(values->values()[1].is_set, 0u);
    EXPECT_EQ(values->values()[1].type, uint32_t{RL_OPTION_U64});
    EXPECT_EQ(values->values()[2].v.u, 3u);
}

TEST(OptionBinding, OfTwoTheLastCountsAndOthersOwnersAreLeftAlone) {
    const rl_option declared = option(RL_OPTION_U64, "n", "1");
    auto values = bind_options(table({&declared, 1}), Given{{"demo", "n", "2"}, {"else", "n", "x"}, {"demo", "n", "3"}});
    ASSERT_TRUE(values) << values.error().text;
    EXPECT_EQ(values->values()[0].v.u, 3u);
}

TEST(OptionBinding, ALargerStrideOfAnotherHeaderIsFollowed) {
    struct Larger {
        rl_option option;
        const char* later_field;
    };
    const std::array<Larger, 2> options = {{{option(RL_OPTION_U64, "a", "1"), "x"}, {option(RL_OPTION_U64, "b", "2"), "y"}}};
    const OptionTable larger{"demo", &options[0].option, 2, sizeof(Larger)};
    EXPECT_TRUE(check_table(larger));
    EXPECT_EQ(bind_options(larger, {})->values()[1].v.u, 2u);
}

TEST(OptionBinding, RangesHold) {
    const rl_option whole = option(RL_OPTION_I64, "n", nullptr, -5, 5);
    EXPECT_EQ(bound(whole, "-5")->v.i, -5);
    EXPECT_EQ(refusal(whole, "-6"), "--demo.n: \"-6\" is too small; the least is -5");
    EXPECT_EQ(refusal(whole, "6"), "--demo.n: \"6\" is too large; the most is 5");
    EXPECT_EQ(refusal(option(RL_OPTION_U64, "n", nullptr, 1, 9), "18446744073709551615"),
              "--demo.n: \"18446744073709551615\" is too large; the most is 9");
    EXPECT_EQ(refusal(option(RL_OPTION_DURATION, "t", nullptr, 1, 2'000'000'000), "3s"), "--demo.t: \"3s\" is too large; the most is 2s");
    EXPECT_EQ(refusal(option(RL_OPTION_SIZE, "s", nullptr, 16, 32), "8"), "--demo.s: \"8\" is too small; the least is 16");
}

TEST(OptionBinding, AValueOfAnotherTypeIsRefusedByName) {
    EXPECT_EQ(refusal(option(RL_OPTION_BOOL, "b"), "maybe"), "--demo.b: \"maybe\" is neither true nor false");
    EXPECT_EQ(refusal(option(RL_OPTION_BOOL, "b"), ""), "--demo.b: \"\" is neither true nor false");
    EXPECT_EQ(refusal(option(RL_OPTION_I64, "n"), "3x"), "--demo.n: \"3x\" is not a whole number");
    EXPECT_EQ(refusal(option(RL_OPTION_I64, "n"), "9223372036854775808"),
              "--demo.n: \"9223372036854775808\" is out of range for a whole number");
    for (const char* text : {"", "nan", "inf", "1e999", "0.5x", " 1"})
        EXPECT_NE(refusal(option(RL_OPTION_F64, "d"), text), "accepted") << text;
    EXPECT_TRUE(refusal(option(RL_OPTION_U64, "n"), "30s").starts_with("--demo.n: \"30s\" is "));
    EXPECT_TRUE(refusal(option(RL_OPTION_DURATION, "t"), "soon").starts_with("--demo.t: \"soon\" is "));
}

TEST(OptionBinding, ChoicesHold) {
    static const char* const kChoices[] = {"sleep", "spin", nullptr};
    rl_option declared = option(RL_OPTION_STRING, "wait", "spin");
    declared.choices = kChoices;
    auto given = bind_options(table({&declared, 1}), Given{{"demo", "wait", "sleep"}});
    ASSERT_TRUE(given) << given.error().text;
    EXPECT_STREQ(given->values()[0].v.s.p, "sleep");
    EXPECT_EQ(refusal(declared, "doze"), "--demo.wait: \"doze\" is none of sleep, spin");
}

TEST(OptionBinding, MissingAndUnknownOptionsAreNamed) {
    rl_option declared = option(RL_OPTION_STRING, "path");
    declared.flags = RL_OPTION_REQUIRED;
    auto missing = bind_options(table({&declared, 1}), {});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().text, "demo needs --demo.path X: help of it");
    EXPECT_EQ(missing.error().code, Error::usage);
    auto unknown = bind_options(table({&declared, 1}), Given{{"demo", "pat", "x"}});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().text, "--demo.pat: demo has no such option; it has path");
    auto none = bind_options(OptionTable{"demo"}, Given{{"demo", "pat", "x"}});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().text, "--demo.pat: demo has no such option; it has no options");
}

TEST(OptionBinding, AnOptionForSomeoneWhoIsNotThereIsRefused) {
    const std::vector<std::string> in_use = {"epoll", "static_url"};
    EXPECT_TRUE(check_owners(Given{{"epoll", "x", "1"}}, in_use));
    auto refused = check_owners(Given{{"jsonl", "path", "1"}}, in_use);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().text, "--jsonl.path: this run does not use jsonl; it uses epoll, static_url");
}

TEST(OptionTables, FaultsAreFoundBeforeUse) {
    const auto fault = [](const rl_option& declared) {
        auto checked = check_table(table({&declared, 1}));
        return checked ? std::string("fit") : checked.error().text;
    };
    EXPECT_EQ(fault(option(RL_OPTION_U64, "n", "1", 1, 2)), "fit");
    EXPECT_EQ(fault(option(99, "n")), "option \"n\" has the unknown type 99");
    EXPECT_EQ(fault(option(RL_OPTION_U64, nullptr)), "option 1 has no name");
    EXPECT_EQ(fault(option(RL_OPTION_U64, "N")), "option \"N\" is not named with a-z 0-9 _ - alone");
    EXPECT_EQ(fault(option(RL_OPTION_U64, "n", nullptr, 5, 4)), "option \"n\" has a least value above its greatest");
    EXPECT_EQ(fault(option(RL_OPTION_U64, "n", "9", 1, 4)), "option \"n\" has an impossible default: \"9\" is too large; the most is 4");
    rl_option declared = option(RL_OPTION_U64, "n");
    declared.flags = 1u << 9;
    EXPECT_EQ(fault(declared), "option \"n\" has unknown flags");
    declared = option(RL_OPTION_U64, "n", "1");
    declared.flags = RL_OPTION_REQUIRED;
    EXPECT_EQ(fault(declared), "option \"n\" is required and has a default");
    declared = option(RL_OPTION_U64, "n");
    declared.help = nullptr;
    EXPECT_EQ(fault(declared), "option \"n\" has no help");
    EXPECT_EQ(check_table(OptionTable{"demo", nullptr, 3}).error().text, "it declares 3 options and has no table of them");
}

}  // namespace
}  // namespace rl::module
