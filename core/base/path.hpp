// File names as text: UTF-8 inside, whatever the system wants at its edge.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace rl {

inline std::filesystem::path path_of(std::string_view text) { return {std::u8string(text.begin(), text.end())}; }

inline std::string text_of(const std::filesystem::path& path) {
    const std::u8string text = path.u8string();
    return {text.begin(), text.end()};
}

// True if the text is a place and no bare name: it holds a slash, or on Windows a backslash or a drive.
inline bool is_place(std::string_view text) noexcept {
#if defined(_WIN32)
    return text.find_first_of("/\\:") != std::string_view::npos;
#else
    return text.find('/') != std::string_view::npos;
#endif
}

}  // namespace rl
