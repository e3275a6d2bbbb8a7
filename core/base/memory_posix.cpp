// mmap(2) and the C library.
#include <sys/mman.h>

#include <cstdlib>

#include "core/base/memory.hpp"

namespace rl {

void* map_pages(size_t bytes) noexcept {
    // Not reserved: what is mapped for the worst case and never touched shall not count.
    void* const memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

void unmap_pages(void* memory, size_t bytes) noexcept { ::munmap(memory, bytes); }

void* allocate_aligned(size_t bytes, size_t align) noexcept {
    void* memory = nullptr;
    return ::posix_memalign(&memory, align, bytes) == 0 ? memory : nullptr;
}

void free_aligned(void* memory) noexcept { std::free(memory); }

}  // namespace rl
