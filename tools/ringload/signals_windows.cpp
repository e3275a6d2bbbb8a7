// SYSTEM: windows
// Console events, which come on a thread of their own. Ctrl-C and Ctrl-Break are SIGINT; closing the window, logging off and shutting down
// are SIGTERM. ORDER: the word is one of its own, nothing is published with it: relaxed.
#include <windows.h>

#include <csignal>

#include "tools/ringload/signals.hpp"

namespace rl::cli {
namespace {

std::atomic<int> caught{0};

BOOL WINAPI on_event(DWORD event) {
    const bool interrupt = event == CTRL_C_EVENT || event == CTRL_BREAK_EVENT;
    int none = 0;
    // The second one is left to the system, which ends the process.
    if (!caught.compare_exchange_strong(none, interrupt ? SIGINT : SIGTERM, std::memory_order_relaxed)) return FALSE;
    // When this function returns from such an event the process is ended at once; the report wants the seconds that the system grants.
    if (!interrupt) ::Sleep(INFINITE);
    return TRUE;
}

}  // namespace

const std::atomic<int>& stop_signal() noexcept { return caught; }

void catch_stop_signals() noexcept {
    ::SetConsoleCtrlHandler(nullptr, FALSE);  // a parent may have told its children to ignore Ctrl-C
    ::SetConsoleCtrlHandler(on_event, TRUE);
}

// A reader that left is an error of the write, and there is no signal for it.
void ignore_write_signals() noexcept {}

}  // namespace rl::cli
