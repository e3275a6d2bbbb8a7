// Shared objects, opened in the one way that we open them: every symbol bound now, nothing of it offered to later objects, and never
// unmapped, because functions and thread-local state of a module may be in use until the process ends. Control thread only.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace rl {

// What the file names of shared objects end in.
#if defined(_WIN32)
inline constexpr std::string_view kModuleSuffix = ".dll";
#else
inline constexpr std::string_view kModuleSuffix = ".so";
#endif

// A plain value: copying it copies the handle, and nothing closes it.
class Dynlib {
  public:
    // The failure's text is the loader's own words, with the path in front of them removed where the loader put it there.
    static Result<Dynlib> open(const std::string& path);

    // NULL if the object has no such symbol.
    void* symbol(const char* name) const noexcept;
    void* handle() const noexcept { return handle_; }

  private:
    explicit Dynlib(void* handle) noexcept : handle_(handle) {}
    void* handle_;
};

}  // namespace rl
