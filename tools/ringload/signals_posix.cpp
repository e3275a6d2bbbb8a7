// SYSTEM: posix
// The handler does what a handler may: a store to a lock-free atomic, and putting the defaults back.
#include <signal.h>

#include "tools/ringload/signals.hpp"

namespace rl::cli {
namespace {

std::atomic<int> caught{0};                            // ORDER: relaxed; a word of its own, nothing is published with it
static_assert(std::atomic<int>::is_always_lock_free);  // ORDER: no lock may be taken in a handler

extern "C" void on_signal(int number) {
    caught.store(number, std::memory_order_relaxed);  // ORDER: as said above
    struct sigaction standard {};
    standard.sa_handler = SIG_DFL;
    ::sigaction(SIGINT, &standard, nullptr);
    ::sigaction(SIGTERM, &standard, nullptr);
}

}  // namespace

const std::atomic<int>& stop_signal() noexcept { return caught; }

void catch_stop_signals() noexcept {
    struct sigaction action {};
    action.sa_handler = on_signal;  // Without SA_RESTART: a sleep in the control thread ends.
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
