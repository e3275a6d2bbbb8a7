// Programmer errors stop the program where they are found. Never for input.
#pragma once

#include <cstdio>
#include <cstdlib>

#define RL_ASSERT(condition)                                                                                  \
    do {                                                                                                      \
        if (!(condition)) [[unlikely]] {                                                                      \
            std::fprintf(stderr, "ringload: assertion failed: %s (%s:%d)\n", #condition, __FILE__, __LINE__); \
            std::abort();                                                                                     \
        }                                                                                                     \
    } while (false)

// Debug builds only: for checks on the hot path.
#ifdef NDEBUG
#define RL_DCHECK(condition) ((void)sizeof(!(condition)))
#else
#define RL_DCHECK(condition) RL_ASSERT(condition)
#endif

#define RL_UNREACHABLE() RL_ASSERT(!"unreachable")
