// SYSTEM: posix
// Raised no further than needed: some programs close every descriptor below the limit when they fork.
#include <sys/resource.h>

#include <cerrno>
#include <string>

#include "tools/ringload/limits.hpp"

namespace rl::cli {
namespace {

constexpr uint64_t kOwnFiles = 64;       // standard streams, modules, reports
constexpr uint64_t kFilesPerWorker = 4;  // a ring or poll object, an event, a spare

}  // namespace

Result<void> raise_file_limit(const engine::RunSpec& spec) {
    const uint64_t needed = spec.connections + kOwnFiles + spec.workers * kFilesPerWorker;
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return failure(Error::resource, "cannot read the limit on open files: " + os_text(errno), errno);
    if (limit.rlim_cur >= needed) return {};
    const rlim_t most = limit.rlim_max;
    limit.rlim_cur = needed;
    if (limit.rlim_max < needed) limit.rlim_max = needed;  // Allowed to a privileged process only.
    if (::setrlimit(RLIMIT_NOFILE, &limit) == 0) return {};
    const std::string asked = std::to_string(spec.connections);
    return failure(Error::resource,
                   "-c " + asked + ": " + asked + " connections need " + std::to_string(needed) + " open files and the limit is " +
                       std::to_string(most) + " (RLIMIT_NOFILE); raise it with ulimit -n, or ask for fewer connections",
                   errno);
}

}  // namespace rl::cli
