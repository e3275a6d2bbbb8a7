// A variable of the environment of this process, as the system's own calls see it.
#pragma once

#include <cstdlib>
#include <string>

namespace rl::testing {

// An empty value takes the variable away.
inline void set_environment(const char* name, const std::string& value) {
#if defined(_WIN32)
    ::_putenv_s(name, value.c_str());
#else
    if (value.empty()) {
        ::unsetenv(name);
    } else {
        ::setenv(name, value.c_str(), 1);
    }
#endif
}

}  // namespace rl::testing
