// Orders by Ctrl-C and by words on standard input, which a thread of its own reads.
#include <winsock2.h>
// windows.h comes after winsock2.h.
#include <timeapi.h>
#include <windows.h>

#include <algorithm>
#include <array>
#include <string>

#include "tools/serve/process.hpp"
#include "tools/serve/sockets.hpp"

namespace rl::serve {
namespace {

// One event object an order, in the order of Order behind `none`. The process keeps them to its end: the system's own thread for Ctrl-C
// and the reader of standard input may set them at any time.
std::array<HANDLE, 3>& orders() {
    static std::array<HANDLE, 3> events{::CreateEventW(nullptr, FALSE, FALSE, nullptr), ::CreateEventW(nullptr, FALSE, FALSE, nullptr),
                                        ::CreateEventW(nullptr, FALSE, FALSE, nullptr)};
    return events;
}

void give(Order order) { ::SetEvent(orders()[static_cast<size_t>(order) - 1]); }

BOOL WINAPI on_console(DWORD) {
    give(Order::end);
    return TRUE;
}

// Not by the library's streams: their locks would be held while this waits, and hold up the end of the process.
void read_words() {
    std::string word;
    char octet = 0;
    DWORD count = 0;
    while (::ReadFile(::GetStdHandle(STD_INPUT_HANDLE), &octet, 1, &count, nullptr) && count == 1) {
        if (octet != '\n') {
            if (octet != '\r' && word.size() < 16) word += octet;
            continue;
        }
        if (word == "freeze") give(Order::freeze);
        if (word == "thaw") give(Order::thaw);
        if (word == "end") give(Order::end);
        word.clear();
    }
}

}  // namespace

void prepare_process() {
    orders();
    WSADATA data;
    ::WSAStartup(MAKEWORD(2, 2), &data);  // if that fails, no socket can be opened, and that is said
    ::SetConsoleCtrlHandler(on_console, TRUE);
    std::thread(read_words).detach();
}

Order next_order(int64_t left_ns) {
    const auto left_ms = static_cast<DWORD>(std::clamp<int64_t>((left_ns + 999'999) / 1'000'000, 0, 3'600'000));
    const DWORD which = ::WaitForMultipleObjects(3, orders().data(), FALSE, left_ms);
    return which < 3 ? static_cast<Order>(which + 1) : Order::none;
}

// For the whole process, and given back with it.
void sharpen_timers() noexcept { ::timeBeginPeriod(1); }

std::string pin(std::thread& worker, int cpu) {
    const DWORD_PTR mask = cpu < 64 ? DWORD_PTR{1} << cpu : 0;
    auto* const handle = static_cast<HANDLE>(::pthread_gethandle(worker.native_handle()));
    if (mask != 0 && ::SetThreadAffinityMask(handle, mask) != 0) return "";
    return socket_error_text(mask == 0 ? ERROR_INVALID_PARAMETER : static_cast<int>(::GetLastError()));
}

}  // namespace rl::serve
