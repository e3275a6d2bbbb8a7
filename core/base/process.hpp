// What the system tells a process about itself, as UTF-8. Control thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rl {

// The file of the running program; "" if it cannot be told.
std::string program_path();

// The variable of the environment, if it is set.
std::optional<std::string> environment(const char* name);

// What parts the directories of a list in the environment.
#if defined(_WIN32)
inline constexpr char kListSeparator = ';';
#else
inline constexpr char kListSeparator = ':';
#endif

// The words of the command line, program name included. On Windows the ones given are in a code page that cannot hold every name, and the
// system is asked again.
std::vector<std::string> command_words(int argc, char** argv);

// While it lives, this thread and those it starts leave signals to others: the control thread starts its workers so, since a signal shall
// end the control thread's own waiting. Nothing on Windows, where signals come on a thread of their own.
class SignalsBlocked {
  public:
    SignalsBlocked();
    ~SignalsBlocked();
    SignalsBlocked(const SignalsBlocked&) = delete;
    SignalsBlocked& operator=(const SignalsBlocked&) = delete;

  private:
    alignas(8) unsigned char before_[128];  // the system's own set of signals
};

}  // namespace rl
