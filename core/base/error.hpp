// What a cold function says when it cannot do its work: a kind, the operating system's number, and a sentence for a person.
//
// Every sentence says what was tried, on what, why it failed and what to do. Hot paths do not use this; they have IoError.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace rl {

enum class Error : uint8_t {
    usage,        // the command line or a file given on it is wrong: exit 2
    unavailable,  // this machine lacks something that was asked for (a backend, a feature): exit 2
    resolve,      // a name has no address
    plugin,       // a plug-in could not be loaded, or refused to go on
    resource,     // memory, descriptors or threads ran out
    io,           // a file or socket of our own failed
};

struct Failure {
    Error code = Error::usage;
    int os = 0;  // the system's own number (errno, on Windows GetLastError() or WSAGetLastError()), or 0
    std::string text;
};

inline Failure failure(Error code, std::string text, int os = 0) { return Failure{code, os, std::move(text)}; }

// The words for such a number, "Permission denied": the same on every thread and, where the system allows it, in every locale.
std::string os_text(int error);

}  // namespace rl
