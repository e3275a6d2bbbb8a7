// Names to socket addresses, addresses to text, and which of several addresses accept a connection. Cold path, control thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/base/socket_address.hpp"

namespace rl {

struct SocketAddress {
    sockaddr_storage storage{};
    socklen_t length = 0;

    const sockaddr* get() const noexcept { return reinterpret_cast<const sockaddr*>(&storage); }
};

// Every address that the system gives, in its order (RFC 6724). The failure's text is the reason alone.
Result<std::vector<SocketAddress>> look_up(const std::string& host, uint16_t port);

// 127.0.0.1, then ::1.
std::vector<SocketAddress> loopback_addresses(uint16_t port);

// "127.0.0.1:8080", "[::1]:8080"; "?" for what is no address.
std::string text_of(const SocketAddress& address);

bool is_ipv6_address(const std::string& text) noexcept;
bool is_ip_address(const std::string& text) noexcept;  // of either family, a zone behind it allowed
// The one form in which certificates are compared: no zone, IPv6 with all digits in upper case. "" for what is no address.
std::string plain_ip_address(const std::string& text);

// Tries to connect to all at once, for no longer than time_ns: which have accepted by then.
std::vector<bool> which_accept(std::span<const SocketAddress> addresses, uint64_t time_ns);

// The system's socket library, ready for as long as this lives. Windows wants it started, others have it always.
class SocketLibrary {
  public:
    SocketLibrary() noexcept;
    ~SocketLibrary();
    SocketLibrary(const SocketLibrary&) = delete;
    SocketLibrary& operator=(const SocketLibrary&) = delete;
};

// Why a look-up failed, for the status of getaddrinfo().
std::string look_up_text(int status);

}  // namespace rl
