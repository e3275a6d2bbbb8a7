// LoadLibrary. A module finds the libraries that lie beside it; nothing is ever given back.
#include <windows.h>

#include "core/base/dynlib.hpp"
#include "core/base/text_windows.hpp"

namespace rl {
namespace {

// The search beside the module takes a full path with backslashes.
std::wstring full_path(const std::string& path) {
    const std::wstring given = wide(path);
    std::wstring full(32'768, L'\0');
    const DWORD size = ::GetFullPathNameW(given.c_str(), static_cast<DWORD>(full.size()), full.data(), nullptr);
    if (size == 0 || size >= full.size()) return given;
    full.resize(size);
    return full;
}

// The system's own sentence for the first speaks of a place holder, for the second of "the module" without saying which.
std::string reason(int error) {
    if (error == ERROR_BAD_EXE_FORMAT) return "the file is no module for 64-bit Windows, or it is cut short; copy or install it again";
    if (error == ERROR_MOD_NOT_FOUND) return "the file, or a library that it needs, is not there";
    return os_text(error);
}

}  // namespace

Result<Dynlib> Dynlib::open(const std::string& path) {
    // Without this the system shows a window for a file that is no module, and waits for somebody to close it.
    DWORD before = 0;
    ::SetThreadErrorMode(SEM_FAILCRITICALERRORS | SEM_NOOPENFILEERRORBOX, &before);
    const HMODULE module = ::LoadLibraryExW(full_path(path).c_str(), nullptr, LOAD_WITH_ALTERED_SEARCH_PATH);
    const auto error = static_cast<int>(::GetLastError());
    ::SetThreadErrorMode(before, nullptr);
    if (module != nullptr) return Dynlib(module);
    return failure(Error::plugin, reason(error), error);
}

void* Dynlib::symbol(const char* name) const noexcept {
    return reinterpret_cast<void*>(::GetProcAddress(static_cast<HMODULE>(handle_), name));
}

}  // namespace rl
