// ringload: which command, and the last line of defence against exceptions.
#include "tools/ringload/main.hpp"

#include <unistd.h>

#include <exception>
#include <new>
#include <string>
#include <vector>

#include "backends/linked.hpp"
#include "core/base/clock.hpp"
#include "core/verdict/exit_code.hpp"
#include "tools/ringload/list.hpp"
#include "tools/ringload/output.hpp"
#include "tools/serve/serve.hpp"

namespace {

int dispatch(int argc, char** argv, const rl::cli::Program& program) {
    std::vector<std::string> words(argv + (argc > 0 ? 1 : 0), argv + argc);
    const std::string command = words.empty() ? "" : words[0];
    if (command == "serve") return rl::serve::serve_main(argc - 1, argv + 1);
    const bool named = command == "run" || command == "list";
    if (named) words.erase(words.begin());
    return command == "list" ? rl::cli::list_command(words, program) : rl::cli::run_command(words, program);
}

}  // namespace

int main(int argc, char** argv) {
    const rl::cli::Program program{rl::backends::linked(), rl::monotonic_ns()};
    rl::cli::guard_standard_streams();
    try {
        return dispatch(argc, argv, program);
    } catch (const std::bad_alloc&) {
        return rl::cli::complain(rl::failure(rl::Error::resource, "memory ran out; ask for fewer connections or a smaller body"));
    } catch (const std::exception& error) {
        return rl::cli::complain(rl::failure(rl::Error::resource, std::string("gave up: ") + error.what()));
    }
}
