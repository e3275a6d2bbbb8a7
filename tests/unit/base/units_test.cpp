// Times, sizes, rates and counts: what is read, what is refused in which words, and what is printed.
#include "core/base/units.hpp"

#include <gtest/gtest.h>

#include <array>
#include <clocale>
#include <limits>
#include <string>
#include <utility>

namespace rl {
namespace {

template <class T>
std::string shown(const Result<T>& result) {
    return result ? std::to_string(*result) : result.error().text;
}

TEST(ParseDuration, ReadsEveryForm) {
    const std::array<std::pair<const char*, Nanos>, 17> cases = {{{"500ms", 500'000'000},
                                                                  {"250us", 250'000},
                                                                  {"10ns", 10},
                                                                  {"30", 30 * kSecond},
                                                                  {"30s", 30 * kSecond},
                                                                  {"1.5s", 1'500'000'000},
                                                                  {"1.1s", 1'100'000'000},
                                                                  {"0.000000001", 1},
                                                                  {"2m", 120 * kSecond},
                                                                  {"1h30m", 5400 * kSecond},
                                                                  {"1m30.5s", 90'500'000'000},
                                                                  {"1s500ms", 1'500'000'000},
                                                                  {"0", 0},
                                                                  {"0ms", 0},
                                                                  {"007s", 7 * kSecond},
                                                                  {"9223372036", 9'223'372'036 * kSecond},
                                                                  {"2562047h", 9'223'369'200 * kSecond}}};
    for (const auto& [text, value] : cases) EXPECT_EQ(shown(parse_duration(text)), std::to_string(value)) << text;
}

TEST(ParseDuration, RefusesInWords) {
    const std::string forms = "; times are written like 250us, 500ms, 30s, 1.5s, 2m or 1h30m";
    const std::array<std::pair<const char*, std::string>, 17> cases = {
        {{"", "\"\" is empty" + forms},
         {"abc", "\"abc\" is not a time" + forms},
         {"s", "\"s\" is not a time" + forms},
         {".5s", "\".5s\" is not a time" + forms},
         {"+5s", "\"+5s\" is not a time" + forms},
         {" 5s", "\" 5s\" is not a time" + forms},
         {"-5s", "\"-5s\" is negative; a time is zero or more"},
         {"5x", "\"5x\" has the unknown unit \"x\"" + forms},
         {"5S", "\"5S\" has the unknown unit \"S\"" + forms},
         {"5 s", "\"5 s\" has the unknown unit \" s\"" + forms},
         {"5.", "\"5.\" has the unknown unit \".\"" + forms},
         {"1h30", "\"1h30\" has a number without a unit" + forms},
         {"30m1h", "\"30m1h\" has its units out of order" + forms},
         {"1s1s", "\"1s1s\" has its units out of order" + forms},
         {"9223372037", "\"9223372037\" is too large for a time"},
         {"99999999999999999999h", "\"99999999999999999999h\" is too large for a time"},
         {"0.0000000001s", "\"0.0000000001s\" is less than a nanosecond"}}};
    for (const auto& [text, words] : cases) EXPECT_EQ(shown(parse_duration(text)), words) << text;
}

TEST(ParseDuration, ShowsNoControlCharactersAndNoNovels) {
    EXPECT_EQ(shown(parse_duration("a\nb")).substr(0, 6), "\"a?b\" ");
    EXPECT_LT(shown(parse_duration(std::string(100'000, 'x'))).size(), 200U);
    EXPECT_LT(shown(parse_duration(std::string(100'000, '9'))).size(), 200U);
}

TEST(ParseSize, ReadsAndRefuses) {
    const std::string forms = "; sizes are written like 4096, 64KiB, 1MiB or 1MB";
    const std::array<std::pair<const char*, std::string>, 15> cases = {
        {{"4096", "4096"},
         {"0", "0"},
         {"1B", "1"},
         {"64KiB", "65536"},
         {"1.5MiB", "1572864"},
         {"2GiB", "2147483648"},
         {"1kB", "1000"},
         {"1MB", "1000000"},
         {"18446744073709551615", "18446744073709551615"},
         {"18446744073709551616", "\"18446744073709551616\" is too large for a size"},
         {"17179869184GiB", "\"17179869184GiB\" is too large for a size"},
         {"1.5", "\"1.5\" is not a whole number of bytes"},
         {"1kb", "\"1kb\" has the unknown unit \"kb\"" + forms},
         {"-1", "\"-1\" is negative; a size is zero or more"},
         {"x", "\"x\" is not a size" + forms}}};
    for (const auto& [text, words] : cases) EXPECT_EQ(shown(parse_size(text)), words) << text;
}

TEST(ParseRate, ReadsEveryForm) {
    const std::array<std::pair<const char*, double>, 9> cases = {{{"500", 500},
                                                                  {"0.5", 0.5},
                                                                  {"1k", 1e3},
                                                                  {"1.2M", 1.2e6},
                                                                  {"1G", 1e9},
                                                                  {"500/s", 500},
                                                                  {"30/m", 0.5},
                                                                  {"7200/h", 2},
                                                                  {"6k/m", 100}}};
    for (const auto& [text, value] : cases) {
        const auto rate = parse_rate(text);
        ASSERT_TRUE(rate) << text;
        EXPECT_DOUBLE_EQ(*rate, value) << text;
    }
}

TEST(ParseRate, RefusesInWords) {
    const std::string forms = "; rates are written like 500, 0.5, 1k, 1.2M, 500/s or 30/m";
    const std::string endless(400, '9');
    const std::array<std::pair<std::string, std::string>, 10> cases = {
        {{"", "\"\" is empty" + forms},
         {"0", "\"0\" is zero; a rate is above zero"},
         {"0.0", "\"0.0\" is zero; a rate is above zero"},
         {"-1", "\"-1\" is negative; a rate is above zero"},
         {"inf", "\"inf\" is not a rate" + forms},
         {"nan", "\"nan\" is not a rate" + forms},
         {"1e3", "\"1e3\" has the unknown unit \"e3\"" + forms},
         {"5.", "\"5.\" ends its number with a point" + forms},
         {"30s", "\"30s\" has the unknown unit \"s\"" + forms},
         {endless, "\"" + endless.substr(0, 60) + "...\" is out of range for a rate"}}};
    for (const auto& [text, words] : cases) EXPECT_EQ(shown(parse_rate(text)), words) << text;
}

TEST(ParseCount, ReadsAndRefuses) {
    const std::array<std::pair<const char*, std::string>, 15> cases = {
        {{"1", "1"},
         {"64", "64"},
         {"007", "7"},
         {"0", "\"0\" is too small; the least is 1"},
         {"65", "\"65\" is too large; the most is 64"},
         {"99999999999999999999999", "\"99999999999999999999999\" is too large; the most is 64"},
         {"", "\"\" is empty; a whole number is needed"},
         {"-3", "\"-3\" is negative; the least is 1"},
         {"30s", "\"30s\" is a time, not a whole number"},
         {"1h30m", "\"1h30m\" is a time, not a whole number"},
         {"5.5", "\"5.5\" is a fraction, not a whole number"},
         {"abc", "\"abc\" is not a whole number"},
         {"5abc", "\"5abc\" is not a whole number"},
         {"+5", "\"+5\" is not a whole number"},
         {"5 ", "\"5 \" is not a whole number"}}};
    for (const auto& [text, words] : cases) EXPECT_EQ(shown(parse_count(text, 1, 64)), words) << text;
}

TEST(ParseLargeCount, TakesMultiplesAsLoadToolsDo) {
    EXPECT_EQ(*parse_large_count("10k", 1, UINT64_MAX), 10'000U);
    EXPECT_EQ(*parse_large_count("3M", 1, UINT64_MAX), 3'000'000U);
    EXPECT_EQ(*parse_large_count("1G", 1, UINT64_MAX), 1'000'000'000U);
    EXPECT_EQ(*parse_large_count("7", 1, 7), 7U);
    EXPECT_EQ(parse_large_count("2k", 1, 1024).error().text, "\"2k\" is too large; the most is 1024");
    EXPECT_EQ(parse_large_count("0k", 1, 1024).error().text, "\"0k\" is too small; the least is 1");
    EXPECT_EQ(parse_large_count("99999999999G", 1, UINT64_MAX).error().text,
              "\"99999999999G\" is too large; the most is 18446744073709551615");
    for (const char* text : {"", "k", "1.5k", "1K", "1kk", "10 k", "1m", "-1k"}) EXPECT_FALSE(parse_large_count(text, 1, 1024)) << text;
}

TEST(Parse, LooksAtNoLocale) {
    const char* const before = std::setlocale(LC_ALL, nullptr);
    const std::string restored = before == nullptr ? "C" : before;
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "C"}) {
        if (std::setlocale(LC_ALL, name) == nullptr) continue;
        EXPECT_EQ(shown(parse_duration("1.5s")), "1500000000") << name;
        EXPECT_DOUBLE_EQ(*parse_rate("1.5"), 1.5) << name;
        EXPECT_EQ(format_duration(1'310'000), "1.31ms") << name;
        EXPECT_EQ(format_rate(12.34), "12.3") << name;
        EXPECT_FALSE(parse_rate("1,5")) << name;
    }
    std::setlocale(LC_ALL, restored.c_str());
}

TEST(FormatDuration, ThreeDigitsThatMeanSomething) {
    const std::array<std::pair<Nanos, const char*>, 22> cases = {{{0, "0ns"},
                                                                  {999, "999ns"},
                                                                  {1'000, "1us"},
                                                                  {1'234, "1.23us"},
                                                                  {712'345, "712us"},
                                                                  {999'499, "999us"},
                                                                  {999'600, "1.00ms"},
                                                                  {1'310'000, "1.31ms"},
                                                                  {9'996'000, "10.0ms"},
                                                                  {13'140'000, "13.1ms"},
                                                                  {99'960'000, "100ms"},
                                                                  {3'460'000'001, "3.46s"},
                                                                  {3'400'000'001, "3.40s"},
                                                                  {10 * kSecond, "10s"},
                                                                  {59'960'000'000, "1m"},
                                                                  {60 * kSecond, "1m"},
                                                                  {150 * kSecond, "2m30s"},
                                                                  {3600 * kSecond, "1h"},
                                                                  {5400 * kSecond, "1h30m"},
                                                                  {3599'700'000'000, "1h"},
                                                                  {-5'000, "-5us"},
                                                                  {std::numeric_limits<Nanos>::min(), "-2562047h47m"}}};
    for (const auto& [value, text] : cases) EXPECT_EQ(format_duration(value), text) << value;
}

TEST(Format, SizesCountsAndRates) {
    EXPECT_EQ(format_size(0), "0 B");
    EXPECT_EQ(format_size(999), "999 B");
    EXPECT_EQ(format_size(1'000), "1.0 kB");
    EXPECT_EQ(format_size(999'949), "999.9 kB");
    EXPECT_EQ(format_size(999'950), "1.0 MB");
    EXPECT_EQ(format_size(212'500'000), "212.5 MB");
    EXPECT_EQ(format_size(std::numeric_limits<uint64_t>::max()), "18.4 EB");
    EXPECT_EQ(format_count(0), "0");
    EXPECT_EQ(format_count(999), "999");
    EXPECT_EQ(format_count(1'398'204), "1,398,204");
    EXPECT_EQ(format_rate(139'820.4), "139,820");
    EXPECT_EQ(format_rate(999.96), "1,000");
    EXPECT_EQ(format_rate(50), "50.0");
    EXPECT_EQ(format_rate(0.5), "0.50");
    EXPECT_EQ(format_rate(0.001), "0.0010");
    EXPECT_EQ(format_rate(0), "0.00");
    EXPECT_EQ(format_rate(std::numeric_limits<double>::infinity()), "n/a");
}

}  // namespace
}  // namespace rl
