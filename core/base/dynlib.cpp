#include "core/base/dynlib.hpp"

#include <dlfcn.h>

#include <string_view>

namespace rl {

Result<Dynlib> Dynlib::open(const std::string& path) {
    void* const handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle != nullptr) return Dynlib(handle);
    const char* const said = ::dlerror();
    std::string_view text = said == nullptr ? "the dynamic loader gives no reason" : said;
    const std::string prefix = path + ": ";
    if (text.starts_with(prefix)) text.remove_prefix(prefix.size());
    return failure(Error::plugin, std::string(text));
}

void* Dynlib::symbol(const char* name) const noexcept { return ::dlsym(handle_, name); }

}  // namespace rl
