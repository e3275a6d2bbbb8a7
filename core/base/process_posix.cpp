// The environment, the program's own file, signal masks.
#include <pthread.h>
#include <signal.h>

#include <cstdlib>
#include <filesystem>
#include <new>
#include <system_error>

#include "core/base/process.hpp"

namespace rl {

std::string program_path() {
    std::error_code error;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
    return error ? std::string() : program.string();
}

std::optional<std::string> environment(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::vector<std::string> command_words(int argc, char** argv) { return {argv, argv + argc}; }

SignalsBlocked::SignalsBlocked() {
    static_assert(sizeof(sigset_t) <= sizeof before_ && alignof(sigset_t) <= 8);
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, new (before_) sigset_t);
}

SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, std::launder(reinterpret_cast<sigset_t*>(before_)), nullptr); }

}  // namespace rl
