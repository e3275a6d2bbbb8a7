// SYSTEM: posix
// fork(2), memory that both see, and an alarm in the child.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "tools/rl_plugin_check/isolation.hpp"

namespace rl::plugin_check {

Result<int> run_apart(const std::vector<std::string>& /*words*/, const std::function<int(Progress&)>& check) {
    void* const shared = ::mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED) return failure(Error::resource, "no memory to share with the process under test");
    auto& progress = *new (shared) Progress;
    const pid_t child = ::fork();
    if (child < 0) return failure(Error::resource, "cannot start a process for it: " + os_text(errno), errno);
    if (child == 0) {
        ::alarm(kTimeLimitSeconds);
        std::exit(check(progress));
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (WIFEXITED(status)) return WEXITSTATUS(status);
    const int signal = WTERMSIG(status);
    const std::string step = progress.step;
    if (signal == SIGALRM) return failure(Error::plugin, step + " did not return within " + std::to_string(kTimeLimitSeconds) + " s");
    return failure(Error::plugin, "the process died in " + step + ": " + ::strsignal(signal));
}

Progress* shared_with_parent(std::vector<std::string>& /*words*/) { return nullptr; }

}  // namespace rl::plugin_check
