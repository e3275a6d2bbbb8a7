// ringload: which command, and the last line of defence against exceptions.
#include "tools/ringload/main.hpp"

#include <exception>
#include <new>
#include <string>
#include <utility>
#include <vector>

#include "backends/linked.hpp"
#include "core/base/clock.hpp"
#include "core/base/process.hpp"
#include "core/base/standard_streams.hpp"
#include "core/verdict/exit_code.hpp"
#include "tools/ringload/commands.hpp"
#include "tools/ringload/list.hpp"
#include "tools/serve/serve.hpp"

namespace {

int serve(std::vector<std::string>& words) {
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    return rl::serve::serve_main(static_cast<int>(words.size()), arguments.data());
}

// The words behind the program's name.
int dispatch(std::vector<std::string> words, const rl::cli::Program& program) {
    words = rl::cli::without_help_command(std::move(words));
    const std::string command = words.empty() ? "" : words[0];
    if (command == "serve") return serve(words);
    const bool named = command == "run" || command == "list";
    if (named) words.erase(words.begin());
    return command == "list" ? rl::cli::list_command(words, program) : rl::cli::run_command(words, program);
}

}  // namespace

int main(int argc, char** argv) {
    const rl::cli::Program program{rl::backends::linked(), rl::monotonic_ns()};
    rl::guard_standard_streams();
    try {
        std::vector<std::string> words = rl::command_words(argc, argv);
        if (!words.empty()) words.erase(words.begin());
        return dispatch(std::move(words), program);
    } catch (const std::bad_alloc&) {
        return rl::cli::complain(rl::failure(rl::Error::resource, "memory ran out; ask for fewer connections or a smaller body"));
    } catch (const std::exception& error) {
        return rl::cli::complain(rl::failure(rl::Error::resource, std::string("gave up: ") + error.what()));
    }
}
