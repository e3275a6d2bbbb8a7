// Signals, limits and CPUs of POSIX and Linux.
#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include <csignal>
#include <ctime>
#include <system_error>

#include "tools/serve/process.hpp"

namespace rl::serve {
namespace {

sigset_t our_signals() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGUSR1, SIGUSR2}) sigaddset(&set, signal);
    return set;
}

void raise_descriptor_limit() {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

void prepare_process() {
    sigset_t blocked = our_signals();
    sigaddset(&blocked, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &blocked, nullptr);
    raise_descriptor_limit();
}

Order next_order(int64_t left_ns) {
    const sigset_t signals = our_signals();
    const timespec left{static_cast<time_t>(left_ns / 1'000'000'000), static_cast<long>(left_ns % 1'000'000'000)};
    switch (sigtimedwait(&signals, nullptr, &left)) {
        case SIGINT:
        case SIGTERM:
            return Order::end;
        case SIGUSR1:
            return Order::freeze;
        case SIGUSR2:
            return Order::thaw;
        default:
            return Order::none;
    }
}

// Timers are otherwise late by up to 50 us, and every delay with them.
void sharpen_timers() noexcept { prctl(PR_SET_TIMERSLACK, 1UL); }

std::string pin(std::thread& worker, int cpu) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(static_cast<size_t>(cpu), &set);
    const int error = pthread_setaffinity_np(worker.native_handle(), sizeof set, &set);
    return error == 0 ? "" : std::generic_category().message(error);
}

}  // namespace rl::serve
