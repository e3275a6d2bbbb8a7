// SIGINT and SIGTERM, and the console events that stand for them on Windows: before traffic either ends the process at once, as by
// default; during traffic the first one of either asks the run to end, and one that comes half a second later or more quits at once; one
// that comes sooner is the same wish (on Windows the next one quits). SIGPIPE and SIGXFSZ are errors of write().
#pragma once

#include <atomic>

namespace rl::cli {

// 0 until a signal was caught, then its number.
const std::atomic<int>& stop_signal() noexcept;

// From now on, for the life of the process. Nothing before traffic that blocks (a look-up of names, a plug-in's open()) could see
// stop_signal(), so this is called when traffic begins.
void catch_stop_signals() noexcept;

// A reader that left or a limit on file sizes becomes an error that is reported.
void ignore_write_signals() noexcept;

}  // namespace rl::cli
