// What every system calls by the same names.
#include "core/base/addresses.hpp"

#include <cstring>
#include <memory>

namespace rl {

Result<std::vector<SocketAddress>> look_up(const std::string& host, uint16_t port) {
    const SocketLibrary library;
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* raw = nullptr;
    const int status = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &raw);
    if (status != 0) return failure(Error::resolve, look_up_text(status));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(raw, [](addrinfo* all) { ::freeaddrinfo(all); });
    std::vector<SocketAddress> addresses;
    for (const addrinfo* a = list.get(); a != nullptr; a = a->ai_next) {
        if (a->ai_addrlen > sizeof(sockaddr_storage)) continue;
        SocketAddress& address = addresses.emplace_back();
        std::memcpy(&address.storage, a->ai_addr, a->ai_addrlen);
        address.length = static_cast<socklen_t>(a->ai_addrlen);
    }
    return addresses;
}

std::vector<SocketAddress> loopback_addresses(uint16_t port) {
    std::vector<SocketAddress> both(2);
    auto& four = reinterpret_cast<sockaddr_in&>(both[0].storage);
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    both[0].length = sizeof four;
    auto& six = reinterpret_cast<sockaddr_in6&>(both[1].storage);
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    six.sin6_addr = in6addr_loopback;
    both[1].length = sizeof six;
    return both;
}

std::string text_of(const SocketAddress& address) {
    const SocketLibrary library;
    char host[NI_MAXHOST];
    char service[NI_MAXSERV];
    const int numeric = NI_NUMERICHOST | NI_NUMERICSERV;
    if (::getnameinfo(address.get(), address.length, host, sizeof host, service, sizeof service, numeric) != 0) return "?";
    const std::string name(host);
    return (address.storage.ss_family == AF_INET6 ? "[" + name + "]" : name) + ":" + service;
}

bool is_ipv6_address(const std::string& text) noexcept {
    in6_addr binary{};
    return ::inet_pton(AF_INET6, text.c_str(), &binary) == 1;
}

bool is_ip_address(const std::string& text) noexcept { return !plain_ip_address(text).empty(); }

std::string plain_ip_address(const std::string& text) {
    const std::string bare = text.substr(0, text.find('%'));
    in_addr four{};
    if (::inet_pton(AF_INET, bare.c_str(), &four) == 1) return bare;
    in6_addr six{};
    if (::inet_pton(AF_INET6, bare.c_str(), &six) != 1) return "";
    constexpr char kDigits[] = "0123456789ABCDEF";
    std::string out;
    for (size_t i = 0; i < 16; ++i) {
        if (i != 0 && i % 2 == 0) out += ':';
        out += kDigits[six.s6_addr[i] >> 4];
        out += kDigits[six.s6_addr[i] & 15];
    }
    return out;
}

}  // namespace rl
