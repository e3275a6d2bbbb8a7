// C++ with the wrapper: an exception in a hot function has no words, only RL_FAIL.
#include <stdexcept>

#include "ringload/plugin.hpp"

struct ThrowsInFill : rl::Source {
    static constexpr rl::Info info{"throws_in_fill", "1.0", "a plug-in with one fault", "MIT"};
    explicit ThrowsInFill(const rl::Open<ThrowsInFill>&) {}
    struct Worker {
        Worker(ThrowsInFill&, const rl_worker&) {}
        int32_t fill(std::span<rl_request>) { throw std::runtime_error("nobody sees this"); }
    };
};
RL_PLUGIN_EXPORT(ThrowsInFill)
