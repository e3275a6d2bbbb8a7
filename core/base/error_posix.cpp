// errno's words.
#include <cstring>

#include "core/base/error.hpp"

namespace rl {

std::string os_text(int error) {
#if defined(__GLIBC__)
    // A constant table: no locale, no shared buffer (glibc 2.32).
    if (const char* text = strerrordesc_np(error)) return text;
#else
    char text[256];
    if (::strerror_r(error, text, sizeof text) == 0) return text;
#endif
    return "error " + std::to_string(error);
}

}  // namespace rl
