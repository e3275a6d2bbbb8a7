// System calls, not streams: each failure has its reason, and nothing is buffered behind our back.
#include "tools/ringload/output.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

namespace rl::cli {
namespace {

namespace stdfs = std::filesystem;

// A descriptor that someone else made non-blocking. What is wrong with it the next write says.
void wait_until_writable(int descriptor) {
    pollfd waiting{descriptor, POLLOUT, 0};
    ::poll(&waiting, 1, -1);
}

Result<void> write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {
            wait_until_writable(descriptor);
            continue;
        }
        if (n < 0) return failure(Error::io, os_text(errno), errno);
        text.remove_prefix(static_cast<size_t>(n));
    }
    return {};
}

std::string folder_of(const std::string& path) {
    const std::string folder = stdfs::path(path).parent_path().string();
    return folder.empty() ? "." : folder;
}

// An open temporary file beside `path`; its name is left in `name`.
Result<int> open_temporary(const std::string& path, std::string& name) {
    name = folder_of(path) + "/." + stdfs::path(path).filename().string() + ".XXXXXX";
    const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
    if (descriptor >= 0) return descriptor;
    const int error = errno;
    return failure(Error::io, "cannot create a file in " + folder_of(path) + ": " + os_text(error), error);
}

// The mode that a plain creat() would have given, or that of the file which is replaced.
mode_t mode_for(const std::string& path) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) == 0) return facts.st_mode & 07777;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666 & ~mask;
}

Result<void> write_in_place(const FileTarget& target, std::string_view text) {
    const int descriptor = ::open(target.path.c_str(), O_WRONLY | O_CLOEXEC);
    if (descriptor < 0) return failure(Error::io, "cannot open " + target.path + ": " + os_text(errno), errno);
    auto written = write_all(descriptor, text);
    ::close(descriptor);
    return written;
}

}  // namespace

Result<FileTarget> check_file(const std::string& path) {
    FileTarget target{path, false};
    struct stat facts {};
    if (::stat(path.c_str(), &facts) == 0) {
        if (S_ISDIR(facts.st_mode)) return failure(Error::usage, "is a folder; name a file in it");
        if (::access(path.c_str(), W_OK) != 0) return failure(Error::usage, "cannot be written: " + os_text(errno), errno);
        target.in_place = !S_ISREG(facts.st_mode);
        std::error_code error;
        const stdfs::path resolved = stdfs::canonical(path, error);
        // WHY only one with a name: without a reader the run would wait for one after all its traffic; a shell's pipe has one.
        if (!error && S_ISFIFO(facts.st_mode)) return failure(Error::usage, "is a FIFO and no regular file; name a file, or use a pipe");
        if (!error) target.path = resolved.string();
        if (target.in_place) return target;
    } else if (stdfs::path(path).filename().empty()) {
        return failure(Error::usage, "is a folder; name a file in it");
    }
    std::error_code error;
    const stdfs::path folder = stdfs::canonical(folder_of(target.path), error);
    if (!error) target.path = (folder / stdfs::path(target.path).filename()).string();
    std::string name;
    auto descriptor = open_temporary(target.path, name);
    if (!descriptor) {
        return failure(Error::usage, descriptor.error().text + "; name a folder that exists and can be written", descriptor.error().os);
    }
    ::close(*descriptor);
    ::unlink(name.c_str());
    return target;
}

Result<void> write_file(const FileTarget& target, std::string_view text) {
    if (target.in_place) return write_in_place(target, text);
    std::string name;
    auto descriptor = open_temporary(target.path, name);
    if (!descriptor) return descriptor.error();
    auto written = write_all(*descriptor, text);
    if (written && ::fchmod(*descriptor, mode_for(target.path)) != 0) written = failure(Error::io, os_text(errno), errno);
    if (::close(*descriptor) != 0 && written) written = failure(Error::io, os_text(errno), errno);
    if (written && ::rename(name.c_str(), target.path.c_str()) != 0) written = failure(Error::io, os_text(errno), errno);
    if (!written) ::unlink(name.c_str());
    return written;
}

Result<void> check_stdout() {
    const int flags = ::fcntl(STDOUT_FILENO, F_GETFL);
    if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) return {};
    return failure(Error::usage,
                   "standard output is closed and the report would be lost; name a file with -O, or ask for none with -o quiet");
}

Result<void> write_stdout(std::string_view text) {
    auto written = write_all(STDOUT_FILENO, text);
    if (written) return written;
    return failure(Error::io, "cannot write to standard output: " + written.error().text, written.error().os);
}

void guard_standard_streams() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
        // The lowest free number is this one. Opened the wrong way round on purpose: what uses it still gets an error.
        const int wrong_way = descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY;
        if (::open("/dev/null", wrong_way) < 0) return;
    }
}

std::unique_ptr<Output> Output::on_stdout(bool may_color) {
    std::unique_ptr<Output> out(new Output);
    const bool terminal = ::isatty(STDOUT_FILENO) == 1;
    winsize size{};
    const bool sized = terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0;
    out->abi_ = {sizeof(rl_output), terminal ? 1U : 0U, terminal && may_color ? 1U : 0U, sized ? size.ws_col : 0U, out.get(), append};
    return out;
}

std::unique_ptr<Output> Output::in_file(FileTarget target) {
    std::unique_ptr<Output> out(new Output);
    out->target_ = std::move(target);
    out->is_file_ = true;
    out->abi_ = {sizeof(rl_output), 0, 0, 0, out.get(), append};
    return out;
}

Result<void> Output::flush() {
    if (is_file_) return {};
    const std::string pending = std::exchange(text_, {});
    return write_stdout(pending);
}

Result<void> Output::finish() {
    if (!is_file_) return flush();
    auto written = write_file(target_, text_);
    if (written) return written;
    return failure(Error::io, "cannot write " + target_.path + ": " + written.error().text, written.error().os);
}

int Output::append(void* self, const char* text, size_t n) {
    try {
        static_cast<Output*>(self)->text_.append(text, n);
        return 0;
    } catch (...) {
        return 1;  // No memory. An exception may not cross into a plug-in.
    }
}

}  // namespace rl::cli
