#include "core/base/log.hpp"

#include <array>
#include <cstddef>

#include "core/base/standard_streams.hpp"

namespace rl {
namespace {

constexpr std::array<std::string_view, 4> kLevelNames = {"error", "warning", "info", "debug"};

// A line of bounded length on the stack: logging must work when memory is what ran out.
class Line {
  public:
    void add(std::string_view text) noexcept {
        for (const char c : text) {
            if (used_ + 1 >= bytes_.size()) return;  // the last place belongs to the line end
            const auto byte = static_cast<unsigned char>(c);
            bytes_[used_++] = byte < 0x20 || byte == 0x7f ? ' ' : c;
        }
    }
    void write() noexcept {
        bytes_[used_++] = '\n';
        write_standard_error({bytes_.data(), used_});
    }

  private:
    std::array<char, 2048> bytes_;
    size_t used_ = 0;
};

}  // namespace

std::string_view level_name(LogLevel level) noexcept { return kLevelNames[static_cast<size_t>(level)]; }

void log_line(LogLevel level, std::string_view who, std::string_view message) noexcept {
    Line line;
    line.add("ringload: ");
    line.add(level_name(level));
    line.add(": ");
    if (!who.empty()) {
        line.add(who);
        line.add(": ");
    }
    line.add(message);
    line.write();
}

}  // namespace rl
