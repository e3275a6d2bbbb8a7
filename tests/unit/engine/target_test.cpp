// Names to addresses. The system's resolver is replaced at link time for names that only exist here, so that no test asks a name server.
#include "core/engine/target.hpp"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace {

char false_list[] = "ours";  // in ai_canonname: a list of the false resolver, not of the system's

// One answer of the false resolver, to be freed by the false freeaddrinfo().
addrinfo* chain(std::initializer_list<const char*> addresses, const char* port) {
    addrinfo* first = nullptr;
    addrinfo** end = &first;
    for (const char* text : addresses) {
        auto* node = static_cast<addrinfo*>(std::calloc(1, sizeof(addrinfo)));
        auto* address = static_cast<sockaddr_in*>(std::calloc(1, sizeof(sockaddr_in)));
        address->sin_family = AF_INET;
        address->sin_port = htons(static_cast<uint16_t>(std::atoi(port)));
        ::inet_pton(AF_INET, text, &address->sin_addr);
        node->ai_family = AF_INET;
        node->ai_socktype = SOCK_STREAM;
        node->ai_addr = reinterpret_cast<sockaddr*>(address);
        node->ai_addrlen = sizeof(sockaddr_in);
        node->ai_canonname = false_list;
        *end = node;
        end = &node->ai_next;
    }
    return first;
}

bool is_false_name(std::string_view name) { return name.ends_with(".test"); }

}  // namespace

extern "C" {
int __real_getaddrinfo(const char*, const char*, const addrinfo*, addrinfo**);
void __real_freeaddrinfo(addrinfo*);

int __wrap_getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** out) {
    const std::string_view name(node);
    if (!is_false_name(name)) return __real_getaddrinfo(node, service, hints, out);
    if (name == "twice.test") return *out = chain({"127.0.0.1", "127.0.0.2", "127.0.0.1", "127.0.0.2"}, service), 0;
    if (name == "many.test") return *out = chain({"127.0.0.3", "127.0.0.1", "127.0.0.2"}, service), 0;
    if (name == "system.test") return errno = EMFILE, EAI_SYSTEM;
    return EAI_NONAME;
}
void __wrap_freeaddrinfo(addrinfo* list) {
    if (list == nullptr || list->ai_canonname != false_list) return __real_freeaddrinfo(list);
    while (list != nullptr) {
        addrinfo* const next = list->ai_next;
        std::free(list->ai_addr);
        std::free(list);
        list = next;
    }
}
}

namespace rl::engine {
namespace {

// A listening socket on a free port, or on a given one.
class Listener {
  public:
    explicit Listener(const char* host, uint16_t wanted = 0) {
        sockaddr_storage address{};
        socklen_t length = 0;
        if (std::strchr(host, ':') != nullptr) {
            auto& six = reinterpret_cast<sockaddr_in6&>(address);
            six.sin6_family = AF_INET6;
            six.sin6_port = htons(wanted);
            ::inet_pton(AF_INET6, host, &six.sin6_addr);
            length = sizeof six;
        } else {
            auto& four = reinterpret_cast<sockaddr_in&>(address);
            four.sin_family = AF_INET;
            four.sin_port = htons(wanted);
            ::inet_pton(AF_INET, host, &four.sin_addr);
            length = sizeof four;
        }
        fd_ = ::socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
        const int on = 1;
        ::setsockopt(fd_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
        if (fd_ < 0 || ::bind(fd_, reinterpret_cast<const sockaddr*>(&address), length) != 0 || ::listen(fd_, 8) != 0) return;
        ::getsockname(fd_, reinterpret_cast<sockaddr*>(&address), &length);
        port = ntohs(address.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                                                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
    }
    ~Listener() {
        if (fd_ >= 0) ::close(fd_);
    }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    uint16_t port = 0;  // 0: it could not listen

  private:
    int fd_ = -1;
};

std::vector<std::string> texts(const std::string& host, uint16_t port) {
    const auto endpoints = resolve(host, port);
    std::vector<std::string> out;
    if (!endpoints) return {"failed: " + endpoints.error().text};
    for (const Endpoint& endpoint : *endpoints) out.push_back(endpoint.text);
    return out;
}

std::string with_port(const std::string& host, uint16_t port) { return host + ":" + std::to_string(port); }
using Texts = std::vector<std::string>;

TEST(Target, NumericAddressesAreTakenAsTheyAre) {
    EXPECT_EQ(texts("127.0.0.1", 8080), (Texts{"127.0.0.1:8080"}));
    EXPECT_EQ(texts("192.0.2.7", 1), (Texts{"192.0.2.7:1"}));
    EXPECT_EQ(texts("::1", 65535), (Texts{"[::1]:65535"}));
    EXPECT_EQ(texts("2001:db8::5", 443), (Texts{"[2001:db8::5]:443"}));
}

TEST(Target, TheEndpointIsReadyForTheKernel) {
    const auto four = resolve("127.0.0.1", 8080);
    ASSERT_TRUE(four);
    ASSERT_EQ(four->front().length, sizeof(sockaddr_in));
    const auto& address4 = reinterpret_cast<const sockaddr_in&>(four->front().address);
    EXPECT_EQ(address4.sin_family, AF_INET);
    EXPECT_EQ(ntohs(address4.sin_port), 8080);
    EXPECT_EQ(ntohl(address4.sin_addr.s_addr), INADDR_LOOPBACK);
    const auto six = resolve("::1", 80);
    ASSERT_TRUE(six);
    ASSERT_EQ(six->front().length, sizeof(sockaddr_in6));
    EXPECT_EQ(reinterpret_cast<const sockaddr_in6&>(six->front().address).sin6_family, AF_INET6);
}

TEST(Target, LocalhostIsWhereSomebodyListens) {
    const Listener four("127.0.0.1");
    ASSERT_NE(four.port, 0);
    EXPECT_EQ(texts("localhost", four.port), (Texts{with_port("127.0.0.1", four.port)}));
    for (const char* name : {"LocalHost", "localhost.", "a.localhost", "a.b.localhost."}) {
        EXPECT_EQ(texts(name, four.port), (Texts{with_port("127.0.0.1", four.port)})) << name;
    }
    const Listener both("::1", four.port);
    if (both.port == 0) GTEST_SKIP() << "this machine has no ::1, or the port is taken there";
    EXPECT_EQ(texts("localhost", four.port), (Texts{with_port("127.0.0.1", four.port), with_port("[::1]", four.port)}));
}

TEST(Target, LocalhostOnTheNewFamilyOnly) {
    const Listener six("::1");
    if (six.port == 0) GTEST_SKIP() << "this machine has no ::1";
    EXPECT_EQ(texts("localhost", six.port), (Texts{with_port("[::1]", six.port)}));
}

TEST(Target, WhereNobodyListensAllAddressesAreKept) {
    uint16_t port = 0;
    {
        const Listener gone("127.0.0.1");
        port = gone.port;
    }
    EXPECT_EQ(texts("localhost", port), (Texts{with_port("127.0.0.1", port), with_port("[::1]", port)}));
    EXPECT_EQ(texts("many.test", port), (Texts{with_port("127.0.0.3", port), with_port("127.0.0.1", port), with_port("127.0.0.2", port)}));
}

TEST(Target, EachAddressOnceInTheOrderOfTheSystem) {
    uint16_t port = 0;
    {
        const Listener gone("127.0.0.1");
        port = gone.port;
    }
    EXPECT_EQ(texts("twice.test", port), (Texts{with_port("127.0.0.1", port), with_port("127.0.0.2", port)}));
}

TEST(Target, OfSeveralAddressesThoseThatAcceptAreKept) {
    const Listener one("127.0.0.1");
    ASSERT_NE(one.port, 0);
    EXPECT_EQ(texts("many.test", one.port), (Texts{with_port("127.0.0.1", one.port)}));
    const Listener three("127.0.0.3", one.port);
    ASSERT_NE(three.port, 0);
    EXPECT_EQ(texts("many.test", one.port), (Texts{with_port("127.0.0.3", one.port), with_port("127.0.0.1", one.port)}));
}

TEST(Target, AnUnknownNameIsASentence) {
    const auto unknown = resolve("no-such.test", 80);
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, Error::resolve);
    EXPECT_EQ(unknown.error().text.find("cannot resolve \"no-such.test\": "), 0u) << unknown.error().text;
    EXPECT_NE(unknown.error().text.find("; check the name, or give an address"), std::string::npos);
    EXPECT_EQ(unknown.error().text.find('\n'), std::string::npos);
}

TEST(Target, AFaultOfThisMachineIsCalledByItsName) {
    const auto failed = resolve("system.test", 80);
    ASSERT_FALSE(failed);
    EXPECT_NE(failed.error().text.find(os_text(EMFILE)), std::string::npos) << failed.error().text;
}

TEST(Target, NamesThatOnlyLookLikeThisMachineAreAskedFor) {
    EXPECT_FALSE(resolve("notlocalhost.test", 80));
    EXPECT_FALSE(resolve("localhost.test", 80));
}

}  // namespace
}  // namespace rl::engine
