// The system's message table, which has Winsock's numbers as well.
#include <windows.h>

#include "core/base/error.hpp"
#include "core/base/text_windows.hpp"

namespace rl {
namespace {

std::string message_of(int error, WORD language) {
    wchar_t text[512];
    const DWORD size = ::FormatMessageW(FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK, nullptr,
                                        static_cast<DWORD>(error), language, text, 512, nullptr);
    std::wstring_view message(text, size);
    while (!message.empty() && (message.back() == L' ' || message.back() == L'.')) message.remove_suffix(1);
    return narrow(message);
}

}  // namespace

std::string os_text(int error) {
    std::string text = message_of(error, MAKELANGID(LANG_ENGLISH, SUBLANG_ENGLISH_US));
    if (text.empty()) text = message_of(error, 0);  // a system without English speaks its own language
    return text.empty() ? "error " + std::to_string(error) : text;
}

}  // namespace rl
