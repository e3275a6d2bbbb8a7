// Descriptors by POSIX.
#include <dirent.h>
#include <sys/resource.h>

#include "core/base/assert.hpp"
#include "tests/conformance/process_limits.hpp"

namespace rl::conformance {

std::optional<uint32_t> open_descriptors() {
    DIR* const directory = ::opendir("/dev/fd");
    if (directory == nullptr) return std::nullopt;
    uint32_t n = 0;
    while (::readdir(directory) != nullptr) ++n;
    ::closedir(directory);
    return n;
}

uint64_t descriptors_most() {
    rlimit limit{};
    return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

bool starve_descriptors(bool on, uint64_t& before) {
    rlimit limit{};
    RL_ASSERT(::getrlimit(RLIMIT_NOFILE, &limit) == 0);
    if (on) {
        before = limit.rlim_cur;
        limit.rlim_cur = 0;  // those that are there go on, and one that the peers close meanwhile makes no room
        RL_ASSERT(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
    } else if (before != 0) {
        limit.rlim_cur = static_cast<rlim_t>(before);
        RL_ASSERT(::setrlimit(RLIMIT_NOFILE, &limit) == 0);
        before = 0;
    }
    return true;
}

}  // namespace rl::conformance
