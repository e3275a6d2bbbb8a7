// Winsock. Connects are waited for with select(): WSAPoll() of older systems never says that one failed.
#include <algorithm>
#include <cstddef>

#include "core/base/addresses.hpp"
#include "core/base/clock.hpp"

namespace rl {
namespace {

SOCKET start_connecting(const SocketAddress& address) noexcept {
    const SOCKET s = ::socket(address.storage.ss_family, SOCK_STREAM, 0);
    if (s == INVALID_SOCKET) return s;
    u_long yes = 1;
    ::ioctlsocket(s, static_cast<long>(FIONBIO), &yes);
    if (::connect(s, address.get(), address.length) == 0 || ::WSAGetLastError() == WSAEWOULDBLOCK) return s;
    ::closesocket(s);
    return INVALID_SOCKET;
}

}  // namespace

std::vector<bool> which_accept(std::span<const SocketAddress> addresses, uint64_t time_ns) {
    const SocketLibrary library;
    std::vector<SOCKET> tries;
    for (const SocketAddress& address : addresses.first(std::min<size_t>(addresses.size(), FD_SETSIZE))) {
        tries.push_back(start_connecting(address));
    }
    std::vector<bool> good(addresses.size(), false);
    const uint64_t until = monotonic_ns() + time_ns;
    for (;;) {
        fd_set accepted, failed;
        FD_ZERO(&accepted);
        FD_ZERO(&failed);
        for (const SOCKET s : tries) {
            if (s == INVALID_SOCKET) continue;
            FD_SET(s, &accepted);
            FD_SET(s, &failed);
        }
        const uint64_t now = monotonic_ns();
        if (accepted.fd_count == 0 || now >= until) break;
        const auto left_us = static_cast<long>((until - now) / 1000);
        timeval wait{left_us / 1'000'000, left_us % 1'000'000};
        if (::select(0, nullptr, &accepted, &failed, &wait) <= 0) break;
        for (size_t i = 0; i < tries.size(); ++i) {
            if (tries[i] == INVALID_SOCKET) continue;
            good[i] = FD_ISSET(tries[i], &accepted) != 0;
            if (!good[i] && FD_ISSET(tries[i], &failed) == 0) continue;
            ::closesocket(tries[i]);
            tries[i] = INVALID_SOCKET;
        }
    }
    for (const SOCKET s : tries) {
        if (s != INVALID_SOCKET) ::closesocket(s);
    }
    return good;
}

SocketLibrary::SocketLibrary() noexcept {
    WSADATA facts;
    ::WSAStartup(MAKEWORD(2, 2), &facts);  // A failure shows in the first call that needs it.
}

SocketLibrary::~SocketLibrary() { ::WSACleanup(); }

std::string look_up_text(int status) { return os_text(status); }  // they are Winsock's numbers

}  // namespace rl
