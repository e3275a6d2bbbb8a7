// Standard handles. A console takes wide text, everything else takes the octets as they are.
#include <windows.h>

#include <algorithm>

#include "core/base/standard_streams.hpp"
#include "core/base/text_windows.hpp"

namespace rl {
namespace {

// What a console takes at once, in octets; a piece ends between two characters.
constexpr size_t kConsolePiece = 16'000;

HANDLE handle_of(Stream stream) noexcept {
    const DWORD number = stream == Stream::input ? STD_INPUT_HANDLE : stream == Stream::output ? STD_OUTPUT_HANDLE : STD_ERROR_HANDLE;
    const HANDLE handle = ::GetStdHandle(number);
    return handle == INVALID_HANDLE_VALUE ? nullptr : handle;
}

bool is_console(HANDLE handle) noexcept {
    DWORD mode = 0;
    return handle != nullptr && ::GetConsoleMode(handle, &mode) != 0;
}

bool starts_character(char c) noexcept { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }

// 0, or the system's number for what went wrong.
DWORD write_console(HANDLE handle, std::string_view text) {
    while (!text.empty()) {
        size_t n = std::min(text.size(), kConsolePiece);
        while (n < text.size() && n > 1 && !starts_character(text[n])) --n;
        const std::wstring piece = wide(text.substr(0, n));
        DWORD written = 0;
        if (::WriteConsoleW(handle, piece.data(), static_cast<DWORD>(piece.size()), &written, nullptr) == 0) return ::GetLastError();
        text.remove_prefix(n);
    }
    return 0;
}

DWORD write_octets(HANDLE handle, std::string_view text) noexcept {
    while (!text.empty()) {
        DWORD written = 0;
        const auto n = static_cast<DWORD>(std::min<size_t>(text.size(), 1u << 20));
        if (::WriteFile(handle, text.data(), n, &written, nullptr) == 0) return ::GetLastError();
        text.remove_prefix(written);
    }
    return 0;
}

}  // namespace

bool is_terminal(Stream stream) noexcept { return is_console(handle_of(stream)); }

unsigned terminal_width(Stream stream) noexcept {
    CONSOLE_SCREEN_BUFFER_INFO facts{};
    if (::GetConsoleScreenBufferInfo(handle_of(stream), &facts) == 0) return 0;
    return static_cast<unsigned>(std::max(facts.srWindow.Right - facts.srWindow.Left + 1, 0));
}

bool enable_escapes(Stream stream) noexcept {
    const HANDLE handle = handle_of(stream);
    DWORD mode = 0;
    if (handle == nullptr || ::GetConsoleMode(handle, &mode) == 0) return false;
    return (mode & ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0 ||
           ::SetConsoleMode(handle, mode | ENABLE_PROCESSED_OUTPUT | ENABLE_VIRTUAL_TERMINAL_PROCESSING) != 0;
}

void write_standard_error(std::string_view text) noexcept {
    const HANDLE handle = handle_of(Stream::error);
    if (handle == nullptr) return;
    if (!is_console(handle)) {
        write_octets(handle, text);
        return;
    }
    try {
        write_console(handle, text);
    } catch (...) {
        write_octets(handle, text);  // no memory for wide text: ASCII at least is read
    }
}

Result<void> write_standard_output(std::string_view text) {
    const HANDLE handle = handle_of(Stream::output);
    const DWORD error = handle == nullptr    ? ERROR_INVALID_HANDLE
                        : is_console(handle) ? write_console(handle, text)
                                             : write_octets(handle, text);
    if (error == 0) return {};
    return failure(Error::io, os_text(static_cast<int>(error)), static_cast<int>(error));
}

Result<void> check_standard_output() {
    const HANDLE handle = handle_of(Stream::output);
    if (handle != nullptr && ::GetFileType(handle) != FILE_TYPE_UNKNOWN) return {};
    return failure(Error::io, os_text(ERROR_INVALID_HANDLE), ERROR_INVALID_HANDLE);
}

// Handles are not handed out again by number: there is nothing to guard.
void guard_standard_streams() noexcept {}

}  // namespace rl
