#include "backends/iocp/sockets.hpp"

#include <string>

namespace rl::iocp {
namespace {

Failure refused(const char* what, int error) {
    return failure(Error::unavailable,
                   std::string("iocp cannot be used here: ") + what + " failed: " + os_text(error) +
                       "; look whether the TCP/IP provider of this system is in order (netsh winsock show catalog)",
                   error);
}

bool has_real_handles(SOCKET socket) noexcept {
    WSAPROTOCOL_INFOW provider{};
    int length = sizeof provider;
    return ::getsockopt(socket, SOL_SOCKET, SO_PROTOCOL_INFOW, reinterpret_cast<char*>(&provider), &length) == 0 &&
           (provider.dwServiceFlags1 & XP1_IFS_HANDLES) != 0;
}

SOCKET plain_socket(int family) noexcept {
    return ::WSASocketW(family, SOCK_STREAM, IPPROTO_TCP, nullptr, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
}

}  // namespace

Winsock::~Winsock() {
    if (started_) ::WSACleanup();
}

Result<void> Winsock::open() {
    WSADATA data;
    if (const int error = ::WSAStartup(MAKEWORD(2, 2), &data); error != 0) return refused("WSAStartup", error);
    started_ = true;
    const SOCKET v4 = plain_socket(AF_INET);
    if (v4 == INVALID_SOCKET) return refused("making a socket", ::WSAGetLastError());
    GUID id = WSAID_CONNECTEX;
    DWORD octets = 0;
    const int asked = ::WSAIoctl(v4, SIO_GET_EXTENSION_FUNCTION_POINTER, &id, sizeof id, static_cast<void*>(&connect_), sizeof connect_,
                                 &octets, nullptr, nullptr);
    const int error = asked == 0 ? 0 : ::WSAGetLastError();
    real_v4_ = has_real_handles(v4);
    ::closesocket(v4);
    if (error != 0) return refused("asking for ConnectEx", error);
    if (const SOCKET v6 = plain_socket(AF_INET6); v6 != INVALID_SOCKET) {
        real_v6_ = has_real_handles(v6);
        ::closesocket(v6);
    }
    return {};
}

SOCKET open_socket(int family, int& error) noexcept {
    error = 0;
    const SOCKET socket = plain_socket(family);
    if (socket == INVALID_SOCKET) {
        error = ::WSAGetLastError();
        return INVALID_SOCKET;
    }
    // Requests are handed over whole, so there is nothing to gain from waiting for more.
    const BOOL on = TRUE;
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, reinterpret_cast<const char*>(&on), sizeof on);
    sockaddr_storage any{};
    any.ss_family = static_cast<decltype(any.ss_family)>(family);
    const int length = family == AF_INET6 ? sizeof(sockaddr_in6) : sizeof(sockaddr_in);
    if (::bind(socket, reinterpret_cast<const sockaddr*>(&any), length) != 0) {
        error = ::WSAGetLastError();
        if (error == WSAENOBUFS) error = WSAEADDRNOTAVAIL;  // so Windows says that no local port is free
        ::closesocket(socket);
        return INVALID_SOCKET;
    }
    return socket;
}

bool settle_connected(SOCKET socket) noexcept { return ::setsockopt(socket, SOL_SOCKET, SO_UPDATE_CONNECT_CONTEXT, nullptr, 0) == 0; }

// Winsock's own numbers, and those of the system that come through where a completion failed.
engine::IoError error_of(int error) noexcept {
    using engine::IoError;
    switch (error) {
        case 0:
            return IoError::none;
        case WSAECONNREFUSED:
        case ERROR_CONNECTION_REFUSED:
            return IoError::refused;
        case WSAECONNRESET:
        case WSAECONNABORTED:
        case WSAENETRESET:
        case WSAESHUTDOWN:
        case WSAEDISCON:
        case WSAENOTCONN:
        case ERROR_NETNAME_DELETED:
        case ERROR_CONNECTION_ABORTED:
        case ERROR_BROKEN_PIPE:
            return IoError::reset;
        case WSAETIMEDOUT:
        case ERROR_SEM_TIMEOUT:
            return IoError::timed_out;
        case WSAEHOSTUNREACH:
        case WSAENETUNREACH:
        case WSAEHOSTDOWN:
        case WSAENETDOWN:
        case ERROR_HOST_UNREACHABLE:
        case ERROR_NETWORK_UNREACHABLE:
        case ERROR_PORT_UNREACHABLE:
            return IoError::unreachable;
        case WSAEADDRNOTAVAIL:
        case WSAEADDRINUSE:  // the four numbers of a connection are taken
            return IoError::no_ports;
        case WSAEMFILE:
        case ERROR_TOO_MANY_OPEN_FILES:
            return IoError::no_files;
        case WSAENOBUFS:
        case WSA_NOT_ENOUGH_MEMORY:
        case ERROR_NO_SYSTEM_RESOURCES:
        case ERROR_WORKING_SET_QUOTA:
            return IoError::no_memory;
        default:
            return IoError::other;
    }
}

}  // namespace rl::iocp
