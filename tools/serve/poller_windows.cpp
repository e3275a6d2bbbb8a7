#include "tools/serve/poller_windows.hpp"

#include <algorithm>
#include <array>

namespace rl::serve {
namespace {

constexpr long kConnectionEvents = FD_READ | FD_WRITE | FD_CLOSE;
// WHY: under wine 8 a change goes unreported once in some hundred connections. So now and then every socket is tried unasked, which costs
// a refused call each.
constexpr DWORD kSweepMs = 100;

}  // namespace

Poller::~Poller() {
    for (const HANDLE handle : {happened_, wake_}) {
        if (handle != nullptr) ::CloseHandle(handle);
    }
}

int Poller::open(int listener) {
    listener_ = listener;
    happened_ = ::CreateEventW(nullptr, FALSE, FALSE, nullptr);
    wake_ = ::CreateEventW(nullptr, FALSE, FALSE, nullptr);
    if (happened_ == nullptr || wake_ == nullptr) return static_cast<int>(::GetLastError());
    return ::WSAEventSelect(static_cast<SOCKET>(listener), happened_, FD_ACCEPT) == 0 ? 0 : ::WSAGetLastError();
}

void Poller::wake() noexcept { ::SetEvent(wake_); }

bool Poller::add(int fd, void* owner) {
    owners_[fd] = owner;
    return ::WSAEventSelect(static_cast<SOCKET>(fd), happened_, kConnectionEvents) == 0;
}

void Poller::rest(bool resting) noexcept { ::WSAEventSelect(static_cast<SOCKET>(listener_), happened_, resting ? 0 : FD_ACCEPT); }

int Poller::wait(int64_t left_ns) {
    events_.clear();
    const std::array<HANDLE, 2> both{wake_, happened_};
    const DWORD left_ms = left_ns < 0 ? kSweepMs : static_cast<DWORD>(std::min<int64_t>((left_ns + 999'999) / 1'000'000, kSweepMs));
    const DWORD which = ::WaitForMultipleObjects(2, both.data(), FALSE, left_ms);
    const bool woken = which == WAIT_OBJECT_0;
    if (woken) events_.push_back({this, 0});
    if (which == WAIT_OBJECT_0 + 1 || (woken && ::WaitForSingleObject(happened_, 0) == WAIT_OBJECT_0)) {
        ask(listener_, nullptr);
        for (const auto& [fd, owner] : owners_) ask(fd, owner);
    }
    if (const ULONGLONG now_ms = ::GetTickCount64(); now_ms - swept_ms_ >= kSweepMs) {
        swept_ms_ = now_ms;
        events_.push_back({nullptr, kReadable});
        for (const auto& [fd, owner] : owners_) events_.push_back({owner, kReadable | kWritable});
    }
    return static_cast<int>(events_.size());
}

void Poller::ask(int fd, void* owner) {
    WSANETWORKEVENTS seen{};
    if (::WSAEnumNetworkEvents(static_cast<SOCKET>(fd), nullptr, &seen) != 0 || seen.lNetworkEvents == 0) return;
    uint32_t what = 0;
    if ((seen.lNetworkEvents & FD_READ) != 0) what |= kReadable;
    if ((seen.lNetworkEvents & FD_WRITE) != 0) what |= kWritable;
    if ((seen.lNetworkEvents & FD_CLOSE) != 0) what |= seen.iErrorCode[FD_CLOSE_BIT] != 0 ? kEnded | kGone : kEnded;
    events_.push_back({owner, what});
}

}  // namespace rl::serve
