// Files named on the command line: a report that appears complete or not at all, and octets that are read whole. Control thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

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

// The octets of a file, or of standard input for "-"; reading ends somewhere behind `most` where there are more. Failures name it.
Result<std::string> read_file(const std::string& path, size_t most);

}  // namespace rl::cli
