// The json reporter: the whole tree as one document, and nothing else on the output.
//
// It knows no key of the model, so whatever the model gains is printed. Numbers are written by to_chars: shortest form that reads back
// to the same value, with a point in every locale. Nodes of type HISTOGRAM have no text form and are left out.
#include <charconv>
#include <span>
#include <string>

#include "ringload/plugin.hpp"

namespace {

class Printer {
  public:
    explicit Printer(size_t indent) : indent_(indent) {}

    std::string document(const rl_node& root) {
        value(root, 0);
        out_ += '\n';
        return std::move(out_);
    }

  private:
    enum class Layout { lines, one_line };

    void value(const rl_node& node, size_t depth) {
        switch (node.type) {
            case RL_NODE_BOOL:
                out_ += node.v.i != 0 ? "true" : "false";
                break;
            case RL_NODE_I64:
                number(node.v.i);
                break;
            case RL_NODE_U64:
                number(node.v.u);
                break;
            case RL_NODE_F64:
                number(node.v.d);
                break;
            case RL_NODE_STRING:
                string({node.v.s.p, node.v.s.n});
                break;
            case RL_NODE_ARRAY:
                group(node, depth, '[', ']');
                break;
            case RL_NODE_OBJECT:
                group(node, depth, '{', '}');
                break;
            default:
                out_ += "null";
                break;
        }
    }

    // A row of a table (an array's member that has no groups of its own) stays on one line, which is how people read it.
    void group(const rl_node& node, size_t depth, char open, char close) {
        const bool row = node.key == nullptr && depth > 0 && !has_groups(node);
        const Layout layout = indent_ == 0 || row ? Layout::one_line : Layout::lines;
        out_ += open;
        bool first = true;
        for (const rl_node& member : members(node)) {
            if (member.type == RL_NODE_HISTOGRAM) continue;
            if (!first) out_ += ',';
            separate(first, layout, depth + 1);
            first = false;
            if (node.type == RL_NODE_OBJECT) {
                string(member.key);
                out_ += indent_ == 0 ? ":" : ": ";
            }
            value(member, depth + 1);
        }
        if (!first && layout == Layout::lines) new_line(depth);
        out_ += close;
    }

    void separate(bool first, Layout layout, size_t depth) {
        if (layout == Layout::lines) {
            new_line(depth);
        } else if (!first && indent_ != 0) {
            out_ += ' ';
        }
    }

    void new_line(size_t depth) {
        out_ += '\n';
        out_.append(depth * indent_, ' ');
    }

    static std::span<const rl_node> members(const rl_node& node) {
        return node.count == 0 ? std::span<const rl_node>() : std::span(node.v.items, node.count);
    }

    static bool has_groups(const rl_node& node) {
        for (const rl_node& member : members(node)) {
            if (member.type == RL_NODE_ARRAY || member.type == RL_NODE_OBJECT) return true;
        }
        return false;
    }

    template <class T>
    void number(T value) {
        char digits[32];
        const auto end = std::to_chars(digits, digits + sizeof digits, value);
        out_.append(digits, end.ptr);
    }

    void string(std::string_view text) {
        constexpr char kHex[] = "0123456789abcdef";
        out_ += '"';
        for (const char c : text) {
            switch (c) {
                case '"':
                    out_ += "\\\"";
                    break;
                case '\\':
                    out_ += "\\\\";
                    break;
                case '\n':
                    out_ += "\\n";
                    break;
                case '\r':
                    out_ += "\\r";
                    break;
                case '\t':
                    out_ += "\\t";
                    break;
                default:
                    if (const auto octet = static_cast<unsigned char>(c); octet < 0x20 || octet == 0x7f) {
                        out_ += "\\u00";
                        out_ += kHex[octet >> 4];
                        out_ += kHex[octet & 15];
                    } else {
                        out_ += c;
                    }
            }
        }
        out_ += '"';
    }

    std::string out_;
    size_t indent_;
};

struct Json : rl::Reporter {
    static constexpr rl::Info info{"json", RL_PLUGIN_VERSION, "everything that the run found out, as one JSON document",
                                   "MIT OR Apache-2.0"};
    static constexpr std::array options{
        rl::option(RL_OPTION_U64, "indent", "N", "2", "spaces for each level; 0 puts the document on one line", 0, 16)};

    explicit Json(const rl::Open<Json>& open) : indent(open.u64("indent")) {}

    void end(const rl_report& report) const {
        const std::string document = Printer(indent).document(*report.root);
        if (report.out->write(report.out->self, document.data(), document.size()) != 0) {
            throw std::runtime_error("the report could not be written: the output is closed or full");
        }
    }

    size_t indent;
};

}  // namespace

RL_PLUGIN_EXPORT(Json)
