#include "core/base/error.hpp"

#include <cstring>

namespace rl {

std::string os_text(int error) {
    // strerrordesc_np reads a constant table: no locale, no shared buffer (glibc 2.32).
    if (const char* text = strerrordesc_np(error)) return text;
    return "error " + std::to_string(error);
}

}  // namespace rl
