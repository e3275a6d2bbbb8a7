// A variable of the environment of this process, as the system's own calls see it.
#pragma once

#if defined(_WIN32)
#include <windows.h>
#endif

#include <cstdlib>
#include <string>

namespace rl::testing {

// An empty value takes the variable away.
inline void set_environment(const char* name, const std::string& value) {
#if defined(_WIN32)
    ::SetEnvironmentVariableA(name, value.empty() ? nullptr : value.c_str());
#else
    if (value.empty()) {
        ::unsetenv(name);
    } else {
        ::setenv(name, value.c_str(), 1);
    }
#endif
}

}  // namespace rl::testing
