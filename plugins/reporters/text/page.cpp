#include "reporters/text/page.hpp"

#include "reporters/text/node.hpp"

namespace rl::plugins::text {
namespace {

constexpr std::string_view kDot = " \u00b7 ";

// The first `width` columns of text, or less: up to a space if there is one in the second half.
std::string take(std::string_view& text, size_t width) {
    size_t end = 0;
    for (size_t used = 0; end < text.size(); ++end) {
        if ((static_cast<unsigned char>(text[end]) & 0xc0) != 0x80 && ++used > width) break;
    }
    std::string_view front = text.substr(0, end);
    if (end < text.size()) {
        const size_t space = text.substr(0, end + 1).rfind(' ');
        if (space != std::string_view::npos && space > end / 2) front = text.substr(0, space);
    }
    text.remove_prefix(front.size());
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    return std::string(front);
}

}  // namespace

std::string words(const rl_node& node) {
    if (node.type != RL_NODE_STRING) return {};
    std::string out(node.v.s.p, node.v.s.n);
    for (size_t i = 0; i < out.size(); ++i) {
        const auto octet = static_cast<unsigned char>(out[i]);
        if (octet < 0x20 || octet == 0x7f) out[i] = '?';
        // U+0080..U+009F are control characters too; in UTF-8 they are c2 followed by 80..9f.
        if (octet == 0xc2 && i + 1 < out.size() && static_cast<unsigned char>(out[i + 1]) < 0xa0) out.replace(i, 2, "?");
    }
    return out;
}

void Page::line(std::string_view content) {
    if (charset_ == Charset::ascii) {
        text_ += in_ascii(content);
    } else {
        text_ += content;
    }
    text_ += '\n';
}

void Page::gap() {
    if (!text_.empty() && !text_.ends_with("\n\n")) text_ += '\n';
}

std::vector<std::string> Page::wrapped(const std::vector<std::string>& items, size_t first_indent, size_t indent) const {
    std::vector<std::string> lines;
    std::string current;
    const auto room = [&] { return width_ - (lines.empty() ? first_indent : indent); };
    for (const std::string& item : items) {
        if (item.empty()) continue;
        const size_t dot = current.empty() ? 0 : columns(kDot);
        if (columns(current) + dot + columns(item) <= room()) {
            if (dot != 0) current += kDot;
            current += item;
            continue;
        }
        if (!current.empty()) lines.push_back(std::move(current));
        current.clear();
        std::string_view rest = item;
        while (columns(rest) > room()) lines.push_back(take(rest, room()));
        current = rest;
    }
    if (!current.empty()) lines.push_back(std::move(current));
    return lines;
}

// The lead is written once and may hold colour; later lines begin with blanks in its place.
void Page::hang(std::string lead, size_t indent, const std::vector<std::string>& items, Tone tone) {
    for (const std::string& content : wrapped(items, indent, indent)) {
        line(lead + toned(content, tone));
        lead.assign(indent, ' ');
    }
}

void Page::items(std::string_view label, const std::vector<std::string>& items, Tone tone) {
    hang(left("  " + std::string(label), kLabel), kLabel, items, tone);
}

void Page::figure(std::string_view label, const std::string& figure, const std::vector<std::string>& items, Tone tone) {
    const std::string gap(4, ' ');
    hang(left("  " + std::string(label), kLabel) + toned(right(figure, kFigure), tone) + gap, kLabel + kFigure + gap.size(), items, tone);
}

void Page::heading(const std::vector<std::string>& items) {
    std::string lead;
    for (const std::string& content : wrapped(items, 0, 2)) {
        line(lead + content);
        lead = "  ";
    }
}

std::string Page::toned(std::string_view content, Tone tone) const {
    if (!color_ || tone == Tone::plain) return std::string(content);
    const std::string_view code = tone == Tone::good ? "\033[32m" : tone == Tone::bad ? "\033[31m" : "\033[33m";
    return std::string(code).append(content).append("\033[0m");
}

}  // namespace rl::plugins::text
