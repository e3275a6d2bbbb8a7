// SYSTEM: posix
// System calls, not streams: each failure has its reason, and nothing is buffered behind our back.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/base/write_all_posix.hpp"
#include "tools/ringload/files.hpp"

namespace rl::cli {
namespace {

namespace stdfs = std::filesystem;

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

Result<std::string> read_all(int descriptor, const std::string& name, size_t most) {
    std::string bytes;
    std::array<char, 65'536> buffer{};
    for (;;) {
        const ssize_t n = ::read(descriptor, buffer.data(), buffer.size());
        if (n == 0) return bytes;
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return failure(Error::usage, "cannot read " + name + ": " + os_text(errno), errno);
        bytes.append(buffer.data(), static_cast<size_t>(n));
        if (bytes.size() > most) return bytes;
    }
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

Result<std::string> read_file(const std::string& path, size_t most) {
    if (path == "-") return read_all(STDIN_FILENO, "standard input", most);
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return failure(Error::usage, "cannot open " + path + ": " + os_text(errno), errno);
    auto bytes = read_all(descriptor, path, most);
    ::close(descriptor);
    return bytes;
}

}  // namespace rl::cli
