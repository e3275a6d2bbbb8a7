// What a reporter writes, kept until it goes where it belongs.
#include "tools/ringload/output.hpp"

#include <utility>

#include "core/base/standard_streams.hpp"
#include "tools/ringload/screen.hpp"

namespace rl::cli {

Result<void> check_stdout() {
    if (check_standard_output()) return {};
    return failure(Error::usage,
                   "standard output is closed and the report would be lost; name a file with -O, or ask for none with -o quiet");
}

Result<void> write_stdout(std::string_view text) {
    auto written = write_standard_output(text);
    if (written) return written;
    return failure(Error::io, "cannot write to standard output: " + written.error().text, written.error().os);
}

std::unique_ptr<Output> Output::on_stdout(bool may_color) {
    std::unique_ptr<Output> out(new Output);
    const bool terminal = is_terminal(Stream::output);
    const bool color = may_color && enable_escapes(Stream::output);
    const unsigned columns = columns_from_environment();
    const unsigned width = columns != 0 ? columns : terminal ? terminal_width(Stream::output) : 0;
    out->abi_ = {sizeof(rl_output), terminal ? 1U : 0U, color ? 1U : 0U, width, out.get(), append};
    return out;
}

std::unique_ptr<Output> Output::in_file(FileTarget target) {
    std::unique_ptr<Output> out(new Output);
    out->target_ = std::move(target);
    out->is_file_ = true;
    out->abi_ = {sizeof(rl_output), 0, 0, 0, out.get(), append};
    return out;
}

Result<void> Output::flush() {
    if (is_file_) return {};
    const std::string pending = std::exchange(text_, {});
    return write_stdout(pending);
}

Result<void> Output::finish() {
    if (!is_file_) return flush();
    auto written = write_file(target_, text_);
    if (written) return written;
    return failure(Error::io, "cannot write " + target_.path + ": " + written.error().text, written.error().os);
}

int Output::append(void* self, const char* text, size_t n) {
    try {
        static_cast<Output*>(self)->text_.append(text, n);
        return 0;
    } catch (...) {
        return 1;  // No memory. An exception may not cross into a plug-in.
    }
}

}  // namespace rl::cli
