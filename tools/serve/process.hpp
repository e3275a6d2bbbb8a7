// What the target asks of its process: no surprises from the system, workers on their CPUs, and orders from outside.
//
// On POSIX orders are signals, blocked everywhere and taken in one place, so that no handler ever runs beside a worker. Windows has none:
// there Ctrl-C ends the target, and a program that started it writes `freeze`, `thaw` or `end`, one a line, to its standard input.
#pragma once

#include <cstdint>
#include <string>
#include <thread>

namespace rl::serve {

enum class Order : uint8_t { none, end, freeze, thaw };

// Before any thread. Lets orders wait, and sockets be as many as may be.
void prepare_process();

// Main thread. The next order, or none after this time.
Order next_order(int64_t left_ns);

// On the worker's thread: its waits end when they should.
void sharpen_timers() noexcept;

// "" on success, else why not.
std::string pin(std::thread& worker, int cpu);

}  // namespace rl::serve
