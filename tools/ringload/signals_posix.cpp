// SYSTEM: posix
// The handler does what a handler may: stores to lock-free atomics, a look at the clock, and putting the defaults back.
#include <signal.h>
#include <time.h>

#include "tools/ringload/signals.hpp"

namespace rl::cli {
namespace {

std::atomic<int> caught{0};                            // ORDER: relaxed; a word of its own, nothing is published with it
static_assert(std::atomic<int>::is_always_lock_free);  // ORDER: no lock may be taken in a handler

std::atomic<int64_t> caught_at_ms{0};  // ORDER: relaxed; only the handler, which never interrupts itself, uses it

// WHY a time: who signals a process and then its group, as timeout(1) does, means one thing by two signals of the same moment.
constexpr int64_t kSameWishMs = 500;

extern "C" void on_signal(int number) {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    const int64_t now_ms = int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
    int none = 0;
    if (caught.compare_exchange_strong(none, number, std::memory_order_relaxed)) {      // ORDER: as said above
        caught_at_ms.store(now_ms, std::memory_order_relaxed);                          // ORDER: as said above
    } else if (now_ms - caught_at_ms.load(std::memory_order_relaxed) >= kSameWishMs) {  // ORDER: as said above
        struct sigaction standard {};
        standard.sa_handler = SIG_DFL;
        ::sigaction(number, &standard, nullptr);
        ::raise(number);  // Blocked until this function returns.
    }
}

}  // namespace

const std::atomic<int>& stop_signal() noexcept { return caught; }

void catch_stop_signals() noexcept {
    struct sigaction action {};
    action.sa_handler = on_signal;  // Without SA_RESTART: a sleep in the control thread ends.
    ::sigaddset(&action.sa_mask, SIGINT);
    ::sigaddset(&action.sa_mask, SIGTERM);
    ::sigaction(SIGINT, &action, nullptr);
    ::sigaction(SIGTERM, &action, nullptr);
}

void ignore_write_signals() noexcept {
    struct sigaction action {};
    action.sa_handler = SIG_IGN;
    ::sigaction(SIGPIPE, &action, nullptr);
    ::sigaction(SIGXFSZ, &action, nullptr);
}

}  // namespace rl::cli
