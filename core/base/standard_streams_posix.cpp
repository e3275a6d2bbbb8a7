// Descriptors 0 to 2.
#include <fcntl.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/standard_streams.hpp"
#include "core/base/write_all_posix.hpp"

namespace rl {
namespace {

int descriptor_of(Stream stream) noexcept { return static_cast<int>(stream); }

}  // namespace

bool is_terminal(Stream stream) noexcept { return ::isatty(descriptor_of(stream)) == 1; }

unsigned terminal_width(Stream stream) noexcept {
    winsize size{};
    return ::ioctl(descriptor_of(stream), TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

bool enable_escapes(Stream stream) noexcept { return is_terminal(stream); }

void write_standard_error(std::string_view text) noexcept {
    [[maybe_unused]] const ssize_t ignored = ::write(STDERR_FILENO, text.data(), text.size());
}

Result<void> write_standard_output(std::string_view text) { return write_all(STDOUT_FILENO, text); }

Result<void> check_standard_output() {
    const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) return {};
    return failure(Error::io, os_text(EBADF), EBADF);
}

void guard_standard_streams() noexcept {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
        // The lowest free number is this one. Opened the wrong way round on purpose: what uses it still gets an error.
        const int wrong_way = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", wrong_way) < 0) return;
    }
}

}  // namespace rl
