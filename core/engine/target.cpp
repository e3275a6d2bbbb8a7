#include "core/engine/target.hpp"

#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "core/base/clock.hpp"

namespace rl::engine {
namespace {

constexpr uint64_t kProbeMost = 250'000'000;  // for all addresses together

std::string text_of(const sockaddr* address, socklen_t length) {
    char host[NI_MAXHOST];
    char service[NI_MAXSERV];
    if (::getnameinfo(address, length, host, sizeof host, service, sizeof service, NI_NUMERICHOST | NI_NUMERICSERV) != 0) return "?";
    const std::string name(host);
    return (address->sa_family == AF_INET6 ? "[" + name + "]" : name) + ":" + service;
}

bool same_address(const Endpoint& a, const Endpoint& b) noexcept {
    return a.length == b.length && std::memcmp(&a.address, &b.address, a.length) == 0;
}

// "localhost" and every name below it are this machine, whatever a name server or a hosts file says (RFC 6761 6.3).
bool is_this_machine(std::string_view host) noexcept {
    constexpr std::string_view kName = "localhost";
    if (!host.empty() && host.back() == '.') host.remove_suffix(1);
    if (host.size() < kName.size()) return false;
    if (host.size() > kName.size() && host[host.size() - kName.size() - 1] != '.') return false;
    return ::strncasecmp(host.data() + host.size() - kName.size(), kName.data(), kName.size()) == 0;
}

void add_loopback(uint16_t port, std::vector<Endpoint>& endpoints) {
    Endpoint six;
    auto& address6 = reinterpret_cast<sockaddr_in6&>(six.address);
    address6.sin6_family = AF_INET6;
    address6.sin6_port = htons(port);
    address6.sin6_addr = in6addr_loopback;
    six.length = sizeof address6;
    Endpoint four;
    auto& address4 = reinterpret_cast<sockaddr_in&>(four.address);
    address4.sin_family = AF_INET;
    address4.sin_port = htons(port);
    address4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    four.length = sizeof address4;
    for (Endpoint* endpoint : {&four, &six}) {
        endpoint->text = text_of(reinterpret_cast<const sockaddr*>(&endpoint->address), endpoint->length);
        endpoints.push_back(std::move(*endpoint));
    }
}

// Tries to connect to all at once and drops those that refuse or stay silent.
void keep_those_that_answer(std::vector<Endpoint>& endpoints) {
    std::vector<pollfd> tries;
    for (const Endpoint& endpoint : endpoints) {
        const int fd = ::socket(endpoint.address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        const bool started =
            fd >= 0 && (::connect(fd, reinterpret_cast<const sockaddr*>(&endpoint.address), endpoint.length) == 0 || errno == EINPROGRESS);
        if (fd >= 0 && !started) ::close(fd);
        tries.push_back({started ? fd : -1, POLLOUT, 0});
    }
    std::vector<bool> good(endpoints.size(), false);
    const uint64_t until = monotonic_ns() + kProbeMost;
    for (auto left = std::count_if(tries.begin(), tries.end(), [](const pollfd& t) { return t.fd >= 0; }); left > 0;) {
        const uint64_t now = monotonic_ns();
        if (now >= until || ::poll(tries.data(), tries.size(), static_cast<int>((until - now) / 1'000'000) + 1) <= 0) break;
        for (size_t i = 0; i < tries.size(); ++i) {
            if (tries[i].fd < 0 || tries[i].revents == 0) continue;
            int error = 0;
            socklen_t length = sizeof error;
            ::getsockopt(tries[i].fd, SOL_SOCKET, SO_ERROR, &error, &length);
            good[i] = error == 0;
            ::close(tries[i].fd);
            tries[i].fd = -1;
            --left;
        }
    }
    for (const pollfd& t : tries) {
        if (t.fd >= 0) ::close(t.fd);
    }
    if (std::find(good.begin(), good.end(), true) == good.end()) return;
    std::vector<Endpoint> kept;
    for (size_t i = 0; i < endpoints.size(); ++i) {
        if (good[i]) kept.push_back(std::move(endpoints[i]));
    }
    endpoints = std::move(kept);
}

}  // namespace

Result<std::vector<Endpoint>> resolve(const std::string& host, uint16_t port) {
    std::vector<Endpoint> endpoints;
    if (is_this_machine(host)) {
        add_loopback(port, endpoints);
        keep_those_that_answer(endpoints);
        return endpoints;
    }
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* raw = nullptr;
    const int status = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &raw);
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> list(raw, ::freeaddrinfo);
    if (status != 0) {
        const std::string why = status == EAI_SYSTEM ? os_text(errno) : ::gai_strerror(status);
        return failure(Error::resolve, "cannot resolve \"" + host + "\": " + why + "; check the name, or give an address");
    }
    for (const addrinfo* a = list.get(); a != nullptr; a = a->ai_next) {
        Endpoint endpoint;
        std::memcpy(&endpoint.address, a->ai_addr, a->ai_addrlen);
        endpoint.length = a->ai_addrlen;
        endpoint.text = text_of(a->ai_addr, a->ai_addrlen);
        const bool known = std::any_of(endpoints.begin(), endpoints.end(), [&](const Endpoint& e) { return same_address(e, endpoint); });
        if (!known) endpoints.push_back(std::move(endpoint));
    }
    if (endpoints.empty()) return failure(Error::resolve, "cannot resolve \"" + host + "\": it has no address");
    if (endpoints.size() > 1) keep_those_that_answer(endpoints);
    return endpoints;
}

}  // namespace rl::engine
