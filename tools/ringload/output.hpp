// Where a report goes: standard output, or a file that appears complete or not at all. Control thread.
//
// A report is kept until it is written, so that it can still go to standard output when its file cannot be written.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.hpp"
#include "ringload/plugin.h"

namespace rl::cli {

// A file that can be written, checked without leaving anything behind.
struct FileTarget {
    std::string path;       // links resolved
    bool in_place = false;  // no regular file (a device, a pipe): written directly, not by renaming
};

// Makes and removes a temporary file in the target's folder. Failures say what to do; the caller puts the option in front.
Result<FileTarget> check_file(const std::string& path);
// Writes a temporary file beside the target and renames it.
Result<void> write_file(const FileTarget& target, std::string_view text);

// Fails if standard output is closed or cannot be written: known before traffic.
Result<void> check_stdout();
Result<void> write_stdout(std::string_view text);

// Gives the numbers of closed standard streams to something harmless, so that no socket or file of a run gets them.
void guard_standard_streams();

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
