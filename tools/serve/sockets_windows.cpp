// Sockets of Winsock. What is sent in one call may be less than the socket takes, and no event tells of the rest of its room.
#include <algorithm>
#include <string_view>

#include "tools/serve/sockets.hpp"
// windows.h comes after winsock2.h.
#include <windows.h>

namespace rl::serve {
namespace {

constexpr size_t kMost = size_t{1} << 30;

int length_of(size_t n) noexcept { return static_cast<int>(std::min(n, kMost)); }

}  // namespace

int open_socket(int family) noexcept {
    const SOCKET socket = ::WSASocketW(family, SOCK_STREAM, 0, nullptr, 0, WSA_FLAG_OVERLAPPED | WSA_FLAG_NO_HANDLE_INHERIT);
    u_long on = 1;
    if (socket == INVALID_SOCKET) return -::WSAGetLastError();
    if (::ioctlsocket(socket, FIONBIO, &on) == 0) return static_cast<int>(socket);
    const int error = ::WSAGetLastError();
    ::closesocket(socket);
    return -error;
}

int accept_socket(int listener) noexcept {
    // It does not block, as the listener does not.
    const SOCKET socket = ::accept(static_cast<SOCKET>(listener), nullptr, nullptr);
    if (socket == INVALID_SOCKET) return -1;
    const BOOL on = TRUE;
    set_option(static_cast<int>(socket), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return static_cast<int>(socket);
}

ssize_t receive_some(int fd, char* octets, size_t n) noexcept { return ::recv(static_cast<SOCKET>(fd), octets, length_of(n), 0); }

ssize_t send_some(int fd, const char* octets, size_t n) noexcept {
    size_t sent = 0;
    while (sent < n) {
        const int taken = ::send(static_cast<SOCKET>(fd), octets + sent, length_of(n - sent), 0);
        if (taken < 0) return sent == 0 || !would_block(socket_error()) ? -1 : static_cast<ssize_t>(sent);
        sent += static_cast<size_t>(taken);
    }
    return static_cast<ssize_t>(sent);
}

ssize_t send_gathered(int fd, iovec* parts, size_t count) noexcept {
    ssize_t sent = 0;
    for (size_t i = 0; i < count; ++i) {
        const ssize_t taken = send_some(fd, static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
        if (taken < 0) return sent == 0 || !would_block(socket_error()) ? -1 : sent;
        sent += taken;
        if (static_cast<size_t>(taken) < parts[i].iov_len) return sent;
    }
    return sent;
}

// The library's own table ends before Winsock's numbers.
std::string socket_error_text(int error) {
    char text[512];
    const DWORD size =
        ::FormatMessageA(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK, nullptr,
                         static_cast<DWORD>(error), MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US), text, sizeof text, nullptr);
    std::string_view words(text, size);
    while (!words.empty() && (words.back() == ' ' || words.back() == '.')) words.remove_suffix(1);
    return words.empty() ? "error " + std::to_string(error) : std::string(words);
}

std::string look_up_error_text(int error) { return socket_error_text(error); }

}  // namespace rl::serve
