// Ends the process when memory is allocated or given back while the trap is armed, in any object that is loaded: for tests that run
// hot functions in a child. Include it in exactly one source file of an executable: it defines malloc() and its relatives there.
//
// Not usable under sanitizers, which bring their own malloc(). Nothing is printed, so that it also works where system calls are barred.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>

extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t align, size_t size);
void __libc_free(void* memory);
}

namespace rl::testing {

inline constexpr int kAllocTrapExit = 41;
inline bool alloc_trap_armed = false;  // one thread: the child's only one

inline void spring_alloc_trap() noexcept {
    if (alloc_trap_armed) ::_exit(kAllocTrapExit);
}

}  // namespace rl::testing

extern "C" {
void* malloc(size_t size) {
    rl::testing::spring_alloc_trap();
    return __libc_malloc(size);
}
void* calloc(size_t count, size_t size) {
    rl::testing::spring_alloc_trap();
    return __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) {
    rl::testing::spring_alloc_trap();
    return __libc_realloc(memory, size);
}
void* memalign(size_t align, size_t size) {
    rl::testing::spring_alloc_trap();
    return __libc_memalign(align, size);
}
void* aligned_alloc(size_t align, size_t size) { return memalign(align, size); }
int posix_memalign(void** out, size_t align, size_t size) {
    void* const memory = memalign(align, size);
    if (memory == nullptr) return ENOMEM;
    *out = memory;
    return 0;
}
void free(void* memory) {
    if (memory != nullptr) rl::testing::spring_alloc_trap();
    __libc_free(memory);
}
}
