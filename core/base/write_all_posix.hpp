// POSIX alone: all of a text into a descriptor, whatever interrupts it.
#pragma once

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

#include "core/base/result.hpp"

namespace rl {

inline Result<void> write_all(int descriptor, std::string_view text) {
    while (!text.empty()) {
        const ssize_t n = ::write(descriptor, text.data(), text.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0 && errno == EAGAIN) {
            // Someone else made it non-blocking. What is wrong with it the next write says.
            pollfd waiting{descriptor, POLLOUT, 0};
            ::poll(&waiting, 1, -1);
            continue;
        }
        if (n < 0) return failure(Error::io, os_text(errno), errno);
        text.remove_prefix(static_cast<size_t>(n));
    }
    return {};
}

}  // namespace rl
