// SYSTEM: windows
// Handles, not streams: each failure has its reason, and nothing is buffered behind our back.
#include <windows.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/path.hpp"
#include "core/base/text_windows.hpp"
#include "tools/ringload/files.hpp"

namespace rl::cli {
namespace {

struct Close {
    void operator()(HANDLE handle) const noexcept { ::CloseHandle(handle); }
};
using Handle = std::unique_ptr<void, Close>;

Handle open_handle(const std::wstring& path, DWORD access, DWORD disposition, DWORD flags) {
    const DWORD share = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    const HANDLE handle = ::CreateFileW(path.c_str(), access, share, nullptr, disposition, flags, nullptr);
    return Handle(handle == INVALID_HANDLE_VALUE ? nullptr : handle);
}

// The failure of the last call, as "WHAT: reason".
Failure last_failure(Error code, const std::string& what) {
    const auto error = static_cast<int>(::GetLastError());
    return failure(code, what.empty() ? os_text(error) : what + ": " + os_text(error), error);
}

Result<void> write_all(HANDLE file, std::string_view text) {
    while (!text.empty()) {
        DWORD written = 0;
        const auto n = static_cast<DWORD>(std::min<size_t>(text.size(), 1u << 20));
        if (::WriteFile(file, text.data(), n, &written, nullptr) == 0) return last_failure(Error::io, "");
        text.remove_prefix(written);
    }
    return {};
}

// The one name of an open file or folder: long, with its own case, links resolved. `given` where the system does not say.
std::string final_name(HANDLE handle, const std::string& given) {
    std::wstring name(32'768, L'\0');
    const DWORD size = ::GetFinalPathNameByHandleW(handle, name.data(), static_cast<DWORD>(name.size()), FILE_NAME_NORMALIZED);
    if (size == 0 || size >= name.size()) return given;
    const std::string text = narrow({name.data(), size});
    if (text.starts_with(R"(\\?\UNC\)")) return R"(\\)" + text.substr(8);
    return text.starts_with(R"(\\?\)") ? text.substr(4) : text;
}

std::string folder_of(const std::string& path) {
    const std::string folder = rl::text_of(path_of(path).parent_path());
    return folder.empty() ? "." : folder;
}

std::string leaf_of(const std::string& path) { return rl::text_of(path_of(path).filename()); }

struct Temporary {
    Handle handle;
    std::wstring name;
};

// A new file beside `path`.
Result<Temporary> open_temporary(const std::string& path) {
    const std::string stem = folder_of(path) + "\\." + leaf_of(path) + "." + std::to_string(::GetCurrentProcessId()) + ".";
    for (int i = 0; i < 100; ++i) {
        Temporary file{nullptr, wide(stem + std::to_string(i))};
        file.handle = open_handle(file.name, GENERIC_WRITE, CREATE_NEW, FILE_ATTRIBUTE_NORMAL);
        if (file.handle) return file;
        if (::GetLastError() != ERROR_FILE_EXISTS) break;
    }
    return last_failure(Error::io, "cannot create a file in " + folder_of(path));
}

Result<std::string> read_all(HANDLE file, const std::string& name, size_t most) {
    std::string bytes;
    std::string buffer(65'536, '\0');
    for (;;) {
        DWORD n = 0;
        if (::ReadFile(file, buffer.data(), static_cast<DWORD>(buffer.size()), &n, nullptr) == 0) {
            if (::GetLastError() == ERROR_BROKEN_PIPE) return bytes;  // the writer left: the end of a pipe
            return last_failure(Error::usage, "cannot read " + name);
        }
        if (n == 0) return bytes;
        bytes.append(buffer, 0, n);
        if (bytes.size() > most) return bytes;
    }
}

}  // namespace

Result<FileTarget> check_file(const std::string& path) {
    FileTarget target{path, false};
    const DWORD attributes = ::GetFileAttributesW(wide(path).c_str());
    const bool exists = attributes != INVALID_FILE_ATTRIBUTES;
    if ((exists && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) || leaf_of(path).empty()) {
        return failure(Error::usage, "is a folder; name a file in it");
    }
    if (const Handle file = open_handle(wide(path), GENERIC_WRITE, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL)) {
        target.in_place = ::GetFileType(file.get()) != FILE_TYPE_DISK;  // NUL, CON, a pipe
        if (target.in_place) return target;
        target.path = final_name(file.get(), path);
    } else if (exists) {
        return last_failure(Error::usage, "cannot be written");
    }
    const std::string folder = folder_of(target.path);
    if (const Handle handle = open_handle(wide(folder), 0, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS); handle && !exists) {
        target.path = final_name(handle.get(), folder) + "\\" + leaf_of(path);
    }
    auto file = open_temporary(target.path);
    if (!file) return failure(Error::usage, file.error().text + "; name a folder that exists and can be written", file.error().os);
    file->handle.reset();
    ::DeleteFileW(file->name.c_str());
    return target;
}

Result<void> write_file(const FileTarget& target, std::string_view text) {
    if (target.in_place) {
        const Handle file = open_handle(wide(target.path), GENERIC_WRITE, OPEN_EXISTING, FILE_ATTRIBUTE_NORMAL);
        return file ? write_all(file.get(), text) : last_failure(Error::io, "cannot open " + target.path);
    }
    auto file = open_temporary(target.path);
    if (!file) return file.error();
    auto written = write_all(file->handle.get(), text);
    file->handle.reset();
    if (written && ::MoveFileExW(file->name.c_str(), wide(target.path).c_str(), MOVEFILE_REPLACE_EXISTING) == 0) {
        written = last_failure(Error::io, "");
    }
    if (!written) ::DeleteFileW(file->name.c_str());
    return written;
}

Result<std::string> read_file(const std::string& path, size_t most) {
    if (path == "-") return read_all(::GetStdHandle(STD_INPUT_HANDLE), "standard input", most);
    const DWORD attributes = ::GetFileAttributesW(wide(path).c_str());
    if (attributes != INVALID_FILE_ATTRIBUTES && (attributes & FILE_ATTRIBUTE_DIRECTORY) != 0) {
        return failure(Error::usage, "cannot read " + path + ": it is a folder");
    }
    const Handle file = open_handle(wide(path), GENERIC_READ, OPEN_EXISTING, FILE_FLAG_SEQUENTIAL_SCAN);
    return file ? read_all(file.get(), path, most) : last_failure(Error::usage, "cannot open " + path);
}

}  // namespace rl::cli
