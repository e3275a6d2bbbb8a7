// Only the environment is asked: the C library's locale is never set, so that figures look alike everywhere.
#include "tools/ringload/screen.hpp"

#include <algorithm>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/base/units.hpp"

namespace rl::cli {
namespace {

std::string_view variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? "" : value;
}

}  // namespace

Charset charset_from_environment() {
    for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
        std::string locale(variable(name));
        if (locale.empty()) continue;
        std::transform(locale.begin(), locale.end(), locale.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
        const bool utf8 = locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
        return utf8 ? Charset::utf8 : Charset::ascii;
    }
    return Charset::utf8;
}

unsigned columns_from_environment() {
    const auto columns = parse_count(variable("COLUMNS"), 1, 10'000);
    return columns ? static_cast<unsigned>(*columns) : 0;
}

bool is_dumb_terminal() { return variable("TERM") == "dumb"; }

}  // namespace rl::cli
