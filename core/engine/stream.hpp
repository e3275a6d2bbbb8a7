// What lies between the octets of a connection and its HTTP parser: nothing, or a record layer. A template argument of the worker.
#pragma once

#include <span>
#include <utility>

namespace rl::engine {

// Octets as they come from the kernel; compiles to nothing.
struct PlainStream {
    static constexpr bool kMaySkip = true;  // the backend may drop body octets unread

    template <class F>
    static void receive(std::span<const char> octets, F&& parse) noexcept {
        std::forward<F>(parse)(octets);
    }
};

}  // namespace rl::engine
