// C++ with the wrapper: the exception arrives as a sentence.
#include <stdexcept>

#include "ringload/plugin.hpp"

struct ThrowsInWrapper : rl::Source {
    static constexpr rl::Info info{"throws_in_wrapper", "1.0", "a plug-in with one fault", "MIT"};
    explicit ThrowsInWrapper(const rl::Open<ThrowsInWrapper>&) {
        throw std::runtime_error("cannot read list.txt: no such file; give another");
    }
    struct Worker {
        Worker(ThrowsInWrapper&, const rl_worker&) {}
        int32_t fill(std::span<rl_request>) { return 0; }
    };
};
RL_PLUGIN_EXPORT(ThrowsInWrapper)
