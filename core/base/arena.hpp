// Start-up memory of one worker: taken in order, zeroed, never given back one by one, sealed before the run.
//
// The pages are mapped lazily, so what is reserved for the worst case and never touched costs no memory. Allocation after seal() is a
// programmer error: that is how "nothing is allocated while running" is kept true.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

#include "core/base/assert.hpp"
#include "core/base/memory.hpp"

namespace rl {

class Arena {
  public:
    Arena() = default;
    ~Arena() {
        for (const Block& block : blocks_) unmap_pages(block.base, block.size);
    }
    Arena(const Arena&) = delete;
    Arena& operator=(const Arena&) = delete;

    // Zeroed memory; throws std::bad_alloc if the system has none.
    void* allocate(size_t bytes, size_t align = alignof(std::max_align_t)) {
        RL_ASSERT(!sealed_);
        size_t at = (used_ + align - 1) & ~(align - 1);
        if (blocks_.empty() || at + bytes > blocks_.back().size) {
            const size_t size = bytes > kBlock ? ((bytes + kPage - 1) & ~(kPage - 1)) : kBlock;
            void* base = map_pages(size);
            if (base == nullptr) throw std::bad_alloc();
            blocks_.push_back({base, size});
            at = 0;
        }
        used_ = at + bytes;
        return static_cast<char*>(blocks_.back().base) + at;
    }

    // count zero-initialized objects that need no destructor.
    template <class T>
    std::span<T> array(size_t count) {
        static_assert(std::is_trivially_destructible_v<T>);
        T* first = static_cast<T*>(allocate(count * sizeof(T), alignof(T) < 64 ? 64 : alignof(T)));
        if constexpr (!std::is_trivially_default_constructible_v<T>) {
            for (size_t i = 0; i < count; ++i) new (first + i) T();
        }
        return {first, count};
    }

    void seal() noexcept { sealed_ = true; }

  private:
    static constexpr size_t kPage = 4096, kBlock = 256 * 1024;
    struct Block {
        void* base;
        size_t size;
    };
    std::vector<Block> blocks_;
    size_t used_ = 0;
    bool sealed_ = false;
};

}  // namespace rl
