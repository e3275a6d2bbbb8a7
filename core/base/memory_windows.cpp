// Committed pages count against the system's commit limit from the start, but cost no memory until they are touched.
#include <malloc.h>
#include <windows.h>

#include "core/base/memory.hpp"

namespace rl {

void* map_pages(size_t bytes) noexcept { return ::VirtualAlloc(nullptr, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE); }

void unmap_pages(void* memory, size_t /*bytes*/) noexcept { ::VirtualFree(memory, 0, MEM_RELEASE); }

void* allocate_aligned(size_t bytes, size_t align) noexcept { return ::_aligned_malloc(bytes, align); }

void free_aligned(void* memory) noexcept { ::_aligned_free(memory); }

}  // namespace rl
