// What a person sees when something is wrong, and the plain pages: one line on stderr, everything else on stdout.
#include <string>
#include <string_view>

#include "core/base/standard_streams.hpp"
#include "core/verdict/exit_code.hpp"
#include "tools/ringload/main.hpp"
#include "tools/ringload/output.hpp"

namespace rl::cli {

int complain(const Failure& failure) {
    std::string line = "ringload: " + failure.text;
    for (char& c : line) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
    }
    line += '\n';
    write_standard_error(line);
    return verdict::kUsage;
}

int print(std::string_view page) {
    const auto written = write_stdout(page);
    return written ? verdict::kHeld : complain(written.error());
}

}  // namespace rl::cli
