// URLs of targets: what is split, what is sent unchanged, and that each refusal names the place and the remedy.
#include "core/http/url.hpp"

#include <gtest/gtest.h>

namespace rl::http {
namespace {

// "host|port|target|authority", or the refusal.
std::string split(std::string_view text) {
    const Result<Url> url = parse_url(text);
    if (!url) {
        EXPECT_EQ(url.error().code, Error::usage);
        EXPECT_EQ(url.error().text.find_first_of("\r\n\t\x1b"), std::string::npos) << "a message is one line";
        return "refused: " + url.error().text;
    }
    return url->host + "|" + std::to_string(url->port) + "|" + url->target + "|" + url->authority;
}

#define EXPECT_REFUSED(text, words) \
    EXPECT_TRUE(split(text).starts_with("refused: ") && split(text).find(words) != std::string::npos) << split(text)

TEST(Url, SplitsIntoItsParts) {
    EXPECT_EQ(split("http://127.0.0.1:8080/a/b?c=d"), "127.0.0.1|8080|/a/b?c=d|127.0.0.1:8080");
    EXPECT_EQ(split("HTTP://Example.org/"), "Example.org|80|/|Example.org");
    EXPECT_EQ(split("http://aaa.bbb.localhost:8080/"), "aaa.bbb.localhost|8080|/|aaa.bbb.localhost:8080") << "the full name";
    EXPECT_EQ(split("http://a_b-c.example./x"), "a_b-c.example.|80|/x|a_b-c.example.");
}

TEST(Url, NeedsNoScheme) {
    EXPECT_EQ(split("localhost"), "localhost|80|/|localhost");
    EXPECT_EQ(split("127.0.0.1:8080/x"), "127.0.0.1|8080|/x|127.0.0.1:8080");
    EXPECT_EQ(split("localhost:81"), "localhost|81|/|localhost:81");
    EXPECT_EQ(split("[::1]:81/x"), "::1|81|/x|[::1]:81");
    EXPECT_EQ(split("localhost/redirect?to=http://other/"), "localhost|80|/redirect?to=http://other/|localhost");
}

TEST(Url, AnEmptyPathIsTheRoot) {
    EXPECT_EQ(split("http://127.0.0.1:81"), "127.0.0.1|81|/|127.0.0.1:81");
    EXPECT_EQ(split("http://127.0.0.1:81?s=64"), "127.0.0.1|81|/?s=64|127.0.0.1:81") << "a query alone is kept out of Host";
    EXPECT_EQ(split("http://127.0.0.1:81#f"), "127.0.0.1|81|/|127.0.0.1:81");
}

TEST(Url, TheFragmentIsNotSent) {
    EXPECT_EQ(split("http://h/p#f?x=1"), "h|80|/p|h");
    EXPECT_EQ(split("http://h/p?q#f#g"), "h|80|/p?q|h");
}

TEST(Url, TheTargetIsSentAsWritten) {
    for (const std::string path : {"/u/P%2BX%2Fy", "/a//b/../c/.", "/%e4%E4", "/a;b=c,d@e:f!$&'()*+~-_.", "/?a[]=1&b=%20", "/a?b?c/d"}) {
        EXPECT_EQ(split("http://h" + path), "h|80|" + path + "|h");
    }
}

TEST(Url, PortsAreWholeNumbers) {
    EXPECT_EQ(split("http://h:80/"), "h|80|/|h") << "the default is left out of Host";
    EXPECT_EQ(split("http://h:/"), "h|80|/|h");
    EXPECT_EQ(split("http://h:1/"), "h|1|/|h:1");
    EXPECT_EQ(split("http://h:65535/"), "h|65535|/|h:65535");
    EXPECT_EQ(split("http://h:08080/"), "h|8080|/|h:8080");
    for (const std::string port : {"0", "65536", "99999999999999999999", "x", "8o", "-1", "+1", "80:81"}) {
        EXPECT_REFUSED("http://h:" + port + "/", port == "80:81" ? "brackets" : "write a number from 1 to 65535");
    }
}

TEST(Url, AddressesOfVersionSixStandInBrackets) {
    EXPECT_EQ(split("http://[::1]:8080/"), "::1|8080|/|[::1]:8080");
    EXPECT_EQ(split("http://[2001:db8::1]"), "2001:db8::1|80|/|[2001:db8::1]");
    EXPECT_EQ(split("http://[::ffff:127.0.0.1]/"), "::ffff:127.0.0.1|80|/|[::ffff:127.0.0.1]");
    EXPECT_REFUSED("http://::1/", "write http://[::1]:8080/");
    EXPECT_REFUSED("::1", "write http://[::1]:8080/");
    EXPECT_REFUSED("http://[::1/", "not closed");
    EXPECT_REFUSED("http://[::1]x/", "behind the bracket");
    EXPECT_REFUSED("http://[::1]:x/", "write a number");
    for (const std::string literal : {"", "127.0.0.1", "::1::", "v1.a", "localhost", "1:2"}) {
        EXPECT_REFUSED("http://[" + literal + "]/", "is not an IPv6 address");
    }
}

TEST(Url, AZoneIsResolvedButNeverSent) {
    EXPECT_EQ(split("http://[fe80::1%25eth0]:81/"), "fe80::1%eth0|81|/|[fe80::1]:81");
    EXPECT_EQ(split("http://[fe80::1%eth0]/"), "fe80::1%eth0|80|/|[fe80::1]");
    EXPECT_REFUSED("http://[fe80::1%25]/", "is not an interface");
    EXPECT_REFUSED("http://[fe80::1%25a/b]/", "not closed");
}

TEST(Url, CredentialsAreRefusedAndNotRepeated) {
    for (const std::string url : {"http://user:secret@h/", "user:secret@h/", "http://user:sec@ret@h/", "http://secret@h/"}) {
        EXPECT_REFUSED(url, "-H 'Authorization: ");
        EXPECT_EQ(split(url).find("sec"), std::string::npos) << split(url);
    }
    EXPECT_REFUSED("http://u:secret#@127.0.0.1:81/", "is not a port") << "the fragment begins in the password, the host is u";
    EXPECT_EQ(split("http://u:secret#@127.0.0.1:81/").find("secret"), std::string::npos);
    EXPECT_EQ(split("http://h/@a:b"), "h|80|/@a:b|h");
}

TEST(Url, HttpsHasItsOwnPort) {
    EXPECT_EQ(split("https://h/"), "h|443|/|h");
    EXPECT_EQ(split("HTTPS://h:443/a"), "h|443|/a|h");
    EXPECT_EQ(split("https://h:80"), "h|80|/|h:80");
    EXPECT_EQ(split("https://[::1]/"), "::1|443|/|[::1]");
    EXPECT_TRUE(parse_url("https://h/")->secure);
    EXPECT_FALSE(parse_url("h/")->secure);
}

TEST(Url, OtherSchemesAreNamed) {
    EXPECT_REFUSED("ftp://h/", "the scheme ftp ");
    EXPECT_REFUSED("ws+x://h/", "the scheme ws+x ");
    EXPECT_REFUSED("://h/", "the scheme is missing");
    EXPECT_REFUSED("//h/", "write http://h/");
    EXPECT_REFUSED("http:/h/", "two slashes are missing");
    EXPECT_REFUSED("http:h", "two slashes are missing");
}

TEST(Url, TheHostIsThereAndIsAName) {
    EXPECT_REFUSED("", "the URL is empty");
    EXPECT_REFUSED("http://", "the host is missing");
    EXPECT_REFUSED("http:///x", "the host is missing");
    EXPECT_REFUSED("http://:80/", "the host is missing");
    EXPECT_REFUSED("/x", "the host is missing");
    EXPECT_REFUSED("http://a,b/", "octet 9, \",\", cannot stand in a host name");
    EXPECT_REFUSED("http://a%41/", "octet 9, \"%\", cannot stand in a host name");
    EXPECT_EQ(split("http://" + std::string(253, 'a') + "/x").substr(250, 6), "aaa|80");
    EXPECT_REFUSED("http://" + std::string(254, 'a') + "/", "longer than 253");
}

TEST(Url, OctetsThatWouldBreakTheRequestAreRefusedWithTheirPlace) {
    EXPECT_REFUSED("http://h/a b", "octet 11 is a blank; write it as %20");
    EXPECT_REFUSED("http://h/a\r\nX: y", "http://h/a\\x0D\\x0AX: y: octet 11 is a line end");
    EXPECT_REFUSED("http://h/\n", "octet 10 is a line end");
    EXPECT_REFUSED("http://h/\t", "octet 10 is a control character; write it as %09");
    EXPECT_REFUSED("http://h/\x1b[1m", "octet 10 is a control character; write it as %1B");
    EXPECT_REFUSED(std::string_view("http://h/\0", 10), "octet 10 is a control character; write it as %00");
    EXPECT_REFUSED("http:/\nx://u:p@h/", "http:/\\x0Ax://***@h/: octet 7 is a line end");
    EXPECT_REFUSED("http://h/\x7f", "octet 10 is a control character; write it as %7F");
    EXPECT_REFUSED("http://h/\xc3\xa4", "octet 10 is not ASCII; write it as %C3");
    EXPECT_REFUSED(
        "http://b\xc3\xbc"
        "cher.example/",
        "xn--");
    EXPECT_REFUSED("http://h/a#b c", "octet 13 is a blank") << "also in what is not sent";
    for (const std::string c : {"\"", "<", ">", "\\", "^", "`", "{", "|", "}"}) {
        EXPECT_REFUSED("http://h/" + c, "octet 10, \"" + c + "\", cannot stand in a URL");
    }
}

TEST(Url, EscapesAreWhole) {
    for (const std::string path : {"%", "%4", "%4g", "%g4", "%%41", "%2 "}) {
        EXPECT_REFUSED("http://h/" + path, path == "%2 " ? "is a blank" : "octet 10 is % without two hexadecimal digits");
    }
    EXPECT_REFUSED("http://h/%4#1", "octet 10 is %");
}

TEST(Url, MessagesRepeatNoCredentials) {
    EXPECT_EQ(without_credentials("http://me:secret@h/a@b"), "http://***@b");
    EXPECT_EQ(without_credentials("http://me@h/"), "http://***@h/");
    EXPECT_EQ(without_credentials("me:secret@h"), "***@h");
    EXPECT_EQ(without_credentials("http://me:sec/ret@h/"), "http://***@h/");
    EXPECT_EQ(without_credentials("h/a?b=@c"), "h/a?b=@c");
    EXPECT_EQ(without_credentials("http://h/"), "http://h/");
    EXPECT_EQ(without_credentials(""), "");
}

}  // namespace
}  // namespace rl::http
