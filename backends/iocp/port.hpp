// A completion port, the completions that were taken from it, and how to sleep at it to the fraction of a millisecond.
//
// The port itself counts time-outs in ticks of the system. Where there are high-resolution timers, one of them ends the wait: its
// procedure is called inside the wait (the wait is alertable), and the time-out of the port stands behind it in case it is late. Where
// there are none, the last millisecond before a deadline is spun away. Single-threaded: belongs to the thread that called open().
#pragma once

#include <array>
#include <cstdint>

#include "backends/iocp/operation.hpp"

namespace rl::iocp {

class Port {
  public:
    static constexpr uint32_t kBatch = 256;  // most completions of a turn

    Port() = default;
    ~Port();
    Port(const Port&) = delete;
    Port& operator=(const Port&) = delete;

    enum class Timer : bool { coarse, high_resolution };
    // 0, or the system's error. A high-resolution timer is tried out, and done without where it does not work.
    int open(Timer timer) noexcept;
    Timer timer() const noexcept { return timer_ == nullptr ? Timer::coarse : Timer::high_resolution; }
    // Completions of this socket come here from now on. False: WSAGetLastError() says why not.
    bool attach(SOCKET socket) noexcept;

    // HOT. Forgets the completions of the last turn.
    void begin_turn() noexcept { count_ = 0; }
    // HOT. Takes what is there, up to kBatch in this turn. False: the port is broken, and error() says how.
    bool look() noexcept { return take(0, FALSE); }
    // Sleeps until there are completions or the instant has come, whatever is first; may return earlier, and close before the instant
    // does not sleep at all. Both on the same clock.
    bool sleep(uint64_t now_ns, uint64_t until_ns) noexcept;

    uint32_t count() const noexcept { return count_; }
    Operation* completion(uint32_t i) const noexcept { return Operation::of(entries_[i].lpOverlapped); }
    DWORD octets(uint32_t i) const noexcept { return entries_[i].dwNumberOfBytesTransferred; }
    uint64_t syscalls() const noexcept { return syscalls_; }
    int error() const noexcept { return error_; }

  private:
    bool take(DWORD timeout_ms, BOOL alertable) noexcept;
    bool try_timer() noexcept;
    void close_timer() noexcept;
    static void CALLBACK on_timer(void* port, DWORD, DWORD) { static_cast<Port*>(port)->timer_until_ = 0; }

    HANDLE port_ = nullptr;
    HANDLE timer_ = nullptr;
    uint64_t timer_until_ = 0;  // the instant for which the timer is set; 0: it is not
    bool ticks_are_short_ = false;
    uint32_t count_ = 0;
    int error_ = 0;
    uint64_t syscalls_ = 0;
    std::array<OVERLAPPED_ENTRY, kBatch> entries_;
};

}  // namespace rl::iocp
