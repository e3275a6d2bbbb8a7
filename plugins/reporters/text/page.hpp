// The page that the blocks write on: labelled lines, wrapped between items, and colour where it is wanted.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "reporters/text/figures.hpp"

namespace rl::plugins::text {

enum class Tone { plain, good, bad, warn };

class Page {
  public:
    Page(size_t width, bool color, Charset charset) : width_(width), color_(color), charset_(charset) {}

    size_t width() const { return width_; }
    Charset charset() const { return charset_; }
    const std::string& text() const { return text_; }

    void line(std::string_view content);
    void gap();  // an empty line, unless there is one already or nothing above
    // "  Label         first, second": items are parted by a middle dot, broken between items and, if need be, between words.
    void items(std::string_view label, const std::vector<std::string>& items, Tone tone = Tone::plain);
    // "  Label              1,398    first, second": a figure in a column of its own before the items.
    void figure(std::string_view label, const std::string& figure, const std::vector<std::string>& items, Tone tone = Tone::plain);
    // The items alone, from the left edge.
    void heading(const std::vector<std::string>& items);

    std::string toned(std::string_view content, Tone tone) const;

    static constexpr size_t kLabel = 16;  // columns of indent and label

  private:
    static constexpr size_t kFigure = 14;
    void hang(std::string lead, size_t indent, const std::vector<std::string>& items, Tone tone);
    std::vector<std::string> wrapped(const std::vector<std::string>& items, size_t first_indent, size_t indent) const;

    std::string text_;
    size_t width_;
    bool color_;
    Charset charset_;
};

}  // namespace rl::plugins::text
