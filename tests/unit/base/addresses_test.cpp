// Addresses to text and back, and look-ups that need no name server.
#include "core/base/addresses.hpp"

#include <gtest/gtest.h>

namespace rl {
namespace {

TEST(Addresses, LoopbackComesInBothFamilies) {
    const auto both = loopback_addresses(8080);
    ASSERT_EQ(both.size(), 2u);
    EXPECT_EQ(text_of(both[0]), "127.0.0.1:8080");
    EXPECT_EQ(text_of(both[1]), "[::1]:8080");
}

TEST(Addresses, TextOfAnAddressIsLookedUpWithoutAsking) {
    for (const auto& [host, text] : {std::pair{"192.0.2.7", "192.0.2.7:80"}, std::pair{"2001:db8::7", "[2001:db8::7]:80"}}) {
        const auto found = look_up(host, 80);
        ASSERT_TRUE(found) << found.error().text;
        ASSERT_FALSE(found->empty());
        EXPECT_EQ(text_of((*found)[0]), text);
    }
}

TEST(Addresses, AFailedLookUpHasAReason) {
    const auto found = look_up("no such name", 80);
    ASSERT_FALSE(found);
    EXPECT_EQ(found.error().code, Error::resolve);
    EXPECT_FALSE(found.error().text.empty());
}

TEST(Addresses, LiteralsOfVersionSix) {
    EXPECT_TRUE(is_ipv6_address("::1"));
    EXPECT_TRUE(is_ipv6_address("fe80::1:2"));
    EXPECT_FALSE(is_ipv6_address("127.0.0.1"));
    EXPECT_FALSE(is_ipv6_address("::1::2"));
    EXPECT_FALSE(is_ipv6_address(""));
}

}  // namespace
}  // namespace rl
