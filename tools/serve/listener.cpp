// SO_REUSEPORT lets several workers share a port, and would let a second server share it unnoticed: hence the first,
// exclusive bind, which fails when anyone else is there. Windows has nothing like it, and one worker.
#include "tools/serve/listener.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "tools/serve/sockets.hpp"

#if !defined(_WIN32)
#include <netdb.h>
#endif

namespace rl::serve {
namespace {

constexpr int kBacklog = 4096;

struct Address {
    sockaddr_storage storage{};
    socklen_t size = 0;
};

#if defined(_WIN32)
constexpr int kInUse = WSAEADDRINUSE, kForbidden = WSAEACCES, kNotHere = WSAEADDRNOTAVAIL;
constexpr unsigned kWorkersMax = 1;
#else
constexpr int kInUse = EADDRINUSE, kForbidden = EACCES, kNotHere = EADDRNOTAVAIL;
constexpr unsigned kWorkersMax = UINT32_MAX;
#endif

std::string advice(int error) {
    switch (error) {
        case kInUse:
            return "stop the program that has it, or choose another --port (0 takes a free one)";
        case kForbidden:
            return "ports below 1024 need privileges, choose another --port";
        case kNotHere:
            return "no interface here has this address, choose another --listen";
        default:
            return "choose another --listen or --port";
    }
}

enum class Sharing : uint8_t { exclusive, shared };

// A listening socket, or minus the error number.
int open_listener(const Address& address, Sharing sharing) {
    const auto* name = reinterpret_cast<const sockaddr*>(&address.storage);
    const int fd = open_socket(name->sa_family);
    if (fd < 0) return fd;
    const int on = 1;
#if defined(_WIN32)
    // There SO_REUSEADDR would mean that a second program may take the port over.
    static_cast<void>(sharing);
    set_option(fd, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, &on, sizeof on);
#else
    set_option(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (sharing == Sharing::shared) set_option(fd, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
    // WHY: accepted sockets inherit these two. A system-wide default of BBR would pace the answers and cost some 5 % per
    // request; the simplest algorithm keeps the target the same on every machine.
    constexpr std::string_view kCongestion = "reno";
    set_option(fd, IPPROTO_TCP, TCP_CONGESTION, kCongestion.data(), kCongestion.size());
    set_option(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
#endif
    if (name->sa_family == AF_INET6) set_option(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
    if (::bind(fd, name, address.size) != 0 || ::listen(fd, kBacklog) != 0) {
        const int error = socket_error();
        close_socket(fd);
        return -error;
    }
    return fd;
}

// Fills in the port that the system chose.
void learn_port(int fd, Address& address) {
    address.size = sizeof address.storage;
    getsockname(fd, reinterpret_cast<sockaddr*>(&address.storage), &address.size);
}

uint16_t port_of(const Address& address) {
    const bool v6 = address.storage.ss_family == AF_INET6;
    return ntohs(v6 ? reinterpret_cast<const sockaddr_in6*>(&address.storage)->sin6_port
                    : reinterpret_cast<const sockaddr_in*>(&address.storage)->sin_port);
}

std::string host_for_url(const std::string& listen) { return listen.find(':') == std::string::npos ? listen : "[" + listen + "]"; }

}  // namespace

Listeners listen_on(const Options& options) {
    Listeners result;
    if (options.threads > kWorkersMax) {
        result.why = fmt::format(
            "--threads {}: workers cannot share a port on this system; use --threads 1, or start several targets, each with a --port of "
            "its "
            "own",
            options.threads);
        return result;
    }
    addrinfo hints{};
    hints.ai_socktype = SOCK_STREAM;
    hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
    addrinfo* found = nullptr;
    if (const int error = getaddrinfo(options.listen.c_str(), std::to_string(options.port).c_str(), &hints, &found); error != 0) {
        result.why = fmt::format("--listen {}: this names no address ({}); write one like 127.0.0.1 or [::1]", options.listen,
                                 look_up_error_text(error));
        return result;
    }
    Address address;
    std::memcpy(&address.storage, found->ai_addr, found->ai_addrlen);
    address.size = static_cast<socklen_t>(found->ai_addrlen);
    freeaddrinfo(found);

    int fd = open_listener(address, Sharing::exclusive);
    if (fd >= 0) learn_port(fd, address);
    if (fd >= 0 && options.threads > 1) {
        close_socket(fd);
        fd = open_listener(address, Sharing::shared);
    }
    while (fd >= 0) {
        result.sockets.push_back(fd);
        if (result.sockets.size() == options.threads) break;
        fd = open_listener(address, Sharing::shared);
    }
    const std::string host = host_for_url(options.listen);
    if (fd < 0) {
        for (const int open : result.sockets) close_socket(open);
        result.sockets.clear();
        result.why =
            fmt::format("--port {}: cannot listen on {}:{}: {}; {}", options.port, host, options.port, socket_error_text(-fd), advice(-fd));
        return result;
    }
    result.url = fmt::format("http://{}:{}/", host, port_of(address));
    return result;
}

}  // namespace rl::serve
