// The environment, the program's own file and its words, all wide.
#include <windows.h>

#include <shellapi.h>

#include "core/base/process.hpp"
#include "core/base/text_windows.hpp"

namespace rl {

std::string program_path() {
    std::wstring path(32'768, L'\0');
    const DWORD size = ::GetModuleFileNameW(nullptr, path.data(), static_cast<DWORD>(path.size()));
    return size == 0 || size >= path.size() ? std::string() : narrow({path.data(), size});
}

std::optional<std::string> environment(const char* name) {
    const std::wstring wide_name = wide(name);
    ::SetLastError(ERROR_SUCCESS);
    std::wstring value(::GetEnvironmentVariableW(wide_name.c_str(), nullptr, 0), L'\0');
    if (value.empty()) return ::GetLastError() == ERROR_ENVVAR_NOT_FOUND ? std::nullopt : std::optional<std::string>("");
    value.resize(::GetEnvironmentVariableW(wide_name.c_str(), value.data(), static_cast<DWORD>(value.size())));
    return narrow(value);
}

std::vector<std::string> command_words(int argc, char** argv) {
    int count = 0;
    wchar_t** const words = ::CommandLineToArgvW(::GetCommandLineW(), &count);
    if (words == nullptr) return {argv, argv + argc};
    std::vector<std::string> out;
    for (int i = 0; i < count; ++i) out.push_back(narrow(words[i]));
    ::LocalFree(words);
    return out;
}

SignalsBlocked::SignalsBlocked() : before_{} {}
SignalsBlocked::~SignalsBlocked() { static_cast<void>(before_); }

}  // namespace rl
