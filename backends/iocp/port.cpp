#include "backends/iocp/port.hpp"

#include <timeapi.h>

#include <algorithm>

namespace rl::iocp {
namespace {

constexpr uint64_t kMs = 1'000'000;
constexpr uint64_t kTooShort = 20'000;  // with so little left, going to sleep takes longer than the rest
constexpr uint64_t kLongestMs = 60'000;

int64_t relative(uint64_t ns) noexcept { return -static_cast<int64_t>(ns / 100); }  // in the unit of the kernel; below zero: from now on

}  // namespace

Port::~Port() {
    if (ticks_are_short_) ::timeEndPeriod(1);
    close_timer();
    if (port_ != nullptr) ::CloseHandle(port_);
}

int Port::open(Timer timer) noexcept {
    port_ = ::CreateIoCompletionPort(INVALID_HANDLE_VALUE, nullptr, 0, 1);
    if (port_ == nullptr) return static_cast<int>(::GetLastError());
    if (timer == Timer::high_resolution && try_timer()) return 0;
    ticks_are_short_ = ::timeBeginPeriod(1) == TIMERR_NOERROR;  // else the ticks stay at 15.6 ms, and waits end that much late
    return 0;
}

// KERNEL: since Windows 10 1803. Whether its procedure is called as well is seen from one that is.
bool Port::try_timer() noexcept {
    timer_ = ::CreateWaitableTimerExW(nullptr, nullptr, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
    if (timer_ == nullptr) return false;
    LARGE_INTEGER due;
    due.QuadPart = relative(100'000);
    timer_until_ = 1;
    if (::SetWaitableTimer(timer_, &due, 0, on_timer, this, FALSE)) ::SleepEx(100, TRUE);
    if (timer_until_ == 0) return true;
    close_timer();
    timer_until_ = 0;
    return false;
}

// Closing alone does not take back a call of its procedure that is due already, which would then write to what is no port any more.
void Port::close_timer() noexcept {
    if (timer_ == nullptr) return;
    ::CancelWaitableTimer(timer_);
    ::CloseHandle(timer_);
    timer_ = nullptr;
}

bool Port::attach(SOCKET socket) noexcept {
    ++syscalls_;
    return ::CreateIoCompletionPort(reinterpret_cast<HANDLE>(socket), port_, 0, 0) != nullptr;
}

bool Port::take(DWORD timeout_ms, BOOL alertable) noexcept {
    if (count_ == kBatch) return true;
    ULONG taken = 0;
    ++syscalls_;
    if (::GetQueuedCompletionStatusEx(port_, entries_.data() + count_, kBatch - count_, &taken, timeout_ms, alertable)) {
        count_ += taken;
        return true;
    }
    const DWORD error = ::GetLastError();
    if (error == WAIT_TIMEOUT || error == WAIT_IO_COMPLETION) return true;
    error_ = static_cast<int>(error);
    return false;
}

bool Port::sleep(uint64_t now_ns, uint64_t until_ns) noexcept {
    const uint64_t left = until_ns > now_ns ? until_ns - now_ns : 0;
    const uint64_t whole_ms = std::min(left / kMs, kLongestMs);
    if (timer_ == nullptr) return take(static_cast<DWORD>(whole_ms), FALSE);
    if (left < kTooShort) return look();
    if (timer_until_ != until_ns) {
        LARGE_INTEGER due;
        due.QuadPart = relative(std::min(left, kLongestMs * kMs));
        ++syscalls_;
        timer_until_ = ::SetWaitableTimer(timer_, &due, 0, on_timer, this, FALSE) ? until_ns : 0;
    }
    return take(static_cast<DWORD>(whole_ms + 1), TRUE);
}

}  // namespace rl::iocp
