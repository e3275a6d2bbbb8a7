// Memory straight from the system: zeroed pages, and blocks of an alignment. Start-up only, any thread.
#pragma once

#include <cstddef>

namespace rl {

// Zeroed memory in whole pages, which costs nothing until it is touched; nullptr if the system has none. Given back with the same size.
void* map_pages(size_t bytes) noexcept;
void unmap_pages(void* memory, size_t bytes) noexcept;

// align is a power of two. nullptr if there is no memory; a block is given back by free_aligned(), which takes nullptr as well.
void* allocate_aligned(size_t bytes, size_t align) noexcept;
void free_aligned(void* memory) noexcept;

}  // namespace rl
