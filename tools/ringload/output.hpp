// Where a report goes: standard output, or a file that appears complete or not at all. Control thread.
//
// A report is kept until it is written, so that it can still go to standard output when its file cannot be written.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "ringload/plugin.h"
#include "tools/ringload/files.hpp"

namespace rl::cli {

// Fails if standard output is closed or cannot be written: known before traffic.
Result<void> check_stdout();
Result<void> write_stdout(std::string_view text);

class Output {
  public:
    // Colour only on a terminal, and only if `may_color`.
    static std::unique_ptr<Output> on_stdout(bool may_color);
    static std::unique_ptr<Output> in_file(FileTarget target);
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;

    const rl_output* get() const noexcept { return &abi_; }
    Result<void> flush();                                     // standard output: hands over what is pending; a file: waits for finish()
    Result<void> finish();                                    // after the last word of the report
    std::string_view text() const noexcept { return text_; }  // of a file: all of it

  private:
    Output() = default;
    static int append(void* self, const char* text, size_t n);

    rl_output abi_{};
    std::string text_;
    FileTarget target_;
    bool is_file_ = false;
};

}  // namespace rl::cli
