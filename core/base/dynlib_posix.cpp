// dlopen(3), and a look at ELF files before it.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#if __has_include(<link.h>)
#include <link.h>
#endif

#include <cstring>
#include <string_view>

#include "core/base/dynlib.hpp"

namespace rl {
namespace {

// WHY: the loader maps what the program headers promise, and dies of SIGBUS where the file ends before that: a half-copied module. All
// that is wrong in other ways it says itself.
bool is_cut_short(const std::string& path) noexcept {
#if defined(ELFMAG)
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    struct stat facts {};
    ElfW(Ehdr) head;
    bool cut = false;
    if (::fstat(file, &facts) == 0 && ::pread(file, &head, sizeof head, 0) == static_cast<ssize_t>(sizeof head) &&
        std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0 && head.e_phentsize == sizeof(ElfW(Phdr))) {
        const auto size = static_cast<uint64_t>(facts.st_size);
        for (uint64_t i = 0; i < head.e_phnum && !cut; ++i) {
            ElfW(Phdr) part;
            const auto at = static_cast<off_t>(head.e_phoff + i * sizeof part);
            if (::pread(file, &part, sizeof part, at) != static_cast<ssize_t>(sizeof part)) break;
            cut = part.p_type == PT_LOAD && (part.p_offset > size || part.p_filesz > size - part.p_offset);
        }
    }
    ::close(file);
    return cut;
#else
    static_cast<void>(path);  // no ELF, no such death
    return false;
#endif
}

}  // namespace

Result<Dynlib> Dynlib::open(const std::string& path) {
    if (is_cut_short(path)) return failure(Error::plugin, "the file is cut short; copy or install it again");
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
