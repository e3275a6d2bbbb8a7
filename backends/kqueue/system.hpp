// Whose kqueue this build speaks to, and how far it can be trusted. README.md has the reasons.
#pragma once

#include <sys/event.h>

namespace rl::kqueue {

#if defined(LIBKQUEUE)  // the library on Linux says so in its header
inline constexpr const char* kProvider = "libkqueue";
inline constexpr bool kNative = false;
// The library cannot see close(): what is watched has to be taken out before, or the next socket of that number meets its remains.
inline constexpr bool kClosesAreSeen = false;
// The library announces an end where a stream has nothing to read at the moment.
inline constexpr bool kEndsAreCertain = false;
#elif defined(RL_KQUEUE_SHIM)  // tests/support/kqueue_shim
inline constexpr const char* kProvider = "test shim";
inline constexpr bool kNative = false;
inline constexpr bool kClosesAreSeen = true;
inline constexpr bool kEndsAreCertain = true;
#else
inline constexpr const char* kProvider = "kernel";
inline constexpr bool kNative = true;
inline constexpr bool kClosesAreSeen = true;
inline constexpr bool kEndsAreCertain = true;
#endif

}  // namespace rl::kqueue
