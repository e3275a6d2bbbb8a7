// What lies between the octets of a connection and its HTTP parser: nothing here, a record layer in tls_stream.hpp. A template argument
// of the worker.
#pragma once

namespace rl::engine {

// Octets as they come from the kernel; compiles to nothing.
struct PlainStream {
    static constexpr bool kSecure = false;
    static constexpr unsigned kSendsMost = 0;  // that it adds itself
    static constexpr bool kMaySkip = true;     // the backend may drop body octets unread
};

}  // namespace rl::engine
