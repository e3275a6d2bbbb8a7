// SYSTEM: windows
// The program again, with a handle of shared memory that it inherits and whose number is its first word.
#include <windows.h>

#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <new>
#include <string_view>
#include <utility>

#include "core/base/process.hpp"
#include "core/base/text_windows.hpp"
#include "tools/rl_plugin_check/isolation.hpp"

namespace rl::plugin_check {
namespace {

constexpr std::string_view kChildWord = "--child-of=";

struct Close {
    void operator()(HANDLE handle) const noexcept { ::CloseHandle(handle); }
};
using Handle = std::unique_ptr<void, Close>;

// One word so that the child's reader of the command line gets it back unchanged: quoted, with the backslashes before a quote doubled.
std::wstring quoted(const std::string& word) {
    std::wstring out = L"\"";
    size_t backslashes = 0;
    for (const wchar_t c : wide(word)) {
        if (c == L'"') out.append(backslashes + 1, L'\\');
        backslashes = c == L'\\' ? backslashes + 1 : 0;
        out += c;
    }
    return out.append(backslashes, L'\\') + L'"';
}

// How a process that did not end by itself ended.
std::string death(DWORD code) {
    static constexpr std::array<std::pair<DWORD, const char*>, 7> kDeaths = {{
        {STATUS_ACCESS_VIOLATION, "access violation"},
        {STATUS_ILLEGAL_INSTRUCTION, "illegal instruction"},
        {STATUS_STACK_OVERFLOW, "stack overflow"},
        {STATUS_INTEGER_DIVIDE_BY_ZERO, "division by zero"},
        {STATUS_BREAKPOINT, "breakpoint"},
        {0xC0000374, "heap corruption"},
        {3, "aborted"},
    }};
    for (const auto& [known, words] : kDeaths) {
        if (code == known) return words;
    }
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "status 0x%08lx", code);
    return text.data();
}

Failure last_failure(const char* what) {
    const auto error = static_cast<int>(::GetLastError());
    return failure(Error::resource, std::string(what) + ": " + os_text(error), error);
}

}  // namespace

Result<int> run_apart(const std::vector<std::string>& words, const std::function<int(Progress&)>& /*check*/) {
    SECURITY_ATTRIBUTES inherited{sizeof(SECURITY_ATTRIBUTES), nullptr, TRUE};
    const Handle section(::CreateFileMappingW(INVALID_HANDLE_VALUE, &inherited, PAGE_READWRITE, 0, sizeof(Progress), nullptr));
    void* const shared = section ? ::MapViewOfFile(section.get(), FILE_MAP_ALL_ACCESS, 0, 0, sizeof(Progress)) : nullptr;
    if (shared == nullptr) return last_failure("no memory to share with the process under test");
    auto& progress = *new (shared) Progress;
    std::wstring line = quoted(words[0]) + L" " + wide(kChildWord) + std::to_wstring(reinterpret_cast<uintptr_t>(section.get()));
    for (size_t i = 1; i < words.size(); ++i) line.append(L" ").append(quoted(words[i]));
    STARTUPINFOW startup{};
    startup.cb = sizeof startup;
    PROCESS_INFORMATION child{};
    if (::CreateProcessW(wide(program_path()).c_str(), line.data(), nullptr, nullptr, TRUE, 0, nullptr, nullptr, &startup, &child) == 0) {
        return last_failure("cannot start a process for it");
    }
    const Handle process(child.hProcess), thread(child.hThread);
    const std::string limit = std::to_string(kTimeLimitSeconds);
    if (::WaitForSingleObject(process.get(), kTimeLimitSeconds * 1000) != WAIT_OBJECT_0) {
        ::TerminateProcess(process.get(), 1);
        ::WaitForSingleObject(process.get(), INFINITE);
        return failure(Error::plugin, std::string(progress.step) + " did not return within " + limit + " s");
    }
    DWORD code = 0;
    ::GetExitCodeProcess(process.get(), &code);
    if (code < 3) return static_cast<int>(code);
    return failure(Error::plugin, std::string("the process died in ") + progress.step + ": " + death(code));
}

Progress* shared_with_parent(std::vector<std::string>& words) {
    if (words.size() < 2 || !words[1].starts_with(kChildWord)) return nullptr;
    // A death is told by the exit status, not by a window that somebody has to close.
    ::SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
    const std::string number = words[1].substr(kChildWord.size());
    words.erase(words.begin() + 1);
    uintptr_t handle = 0;
    std::from_chars(number.data(), number.data() + number.size(), handle);
    void* const shared = ::MapViewOfFile(reinterpret_cast<HANDLE>(handle), FILE_MAP_ALL_ACCESS, 0, 0, sizeof(Progress));
    return static_cast<Progress*>(shared);
}

}  // namespace rl::plugin_check
