// The text reporter: one page for a person, whose first lines say how fast, how slow at the tail, what failed, and whether to believe it.
#include <algorithm>
#include <stdexcept>

#include "reporters/text/blocks.hpp"
#include "reporters/text/page.hpp"
#include "ringload/plugin.hpp"

namespace {

namespace text = rl::plugins::text;

constexpr size_t kWidthMin = 50, kWidthMax = 100;
constexpr const char* kCharsets[] = {"utf-8", "ascii", nullptr};

struct Text : rl::Reporter {
    static constexpr rl::Info info{"text", RL_PLUGIN_VERSION, "a page for people", "MIT OR Apache-2.0"};

    static constexpr std::array options{
        rl::one_of(rl::option(RL_OPTION_STRING, "charset", "CHARSET", "utf-8", "what the page may be written with"), kCharsets)};

    explicit Text(const rl::Open<Text>& open) : charset(open.string("charset") == "ascii" ? text::Charset::ascii : text::Charset::utf8) {}

    void end(const rl_report& report) const {
        const rl_output& out = *report.out;
        const size_t width = out.width == 0 ? kWidthMax : std::clamp<size_t>(out.width, kWidthMin, kWidthMax);
        text::Page page(width, out.color != 0, charset);
        text::write_heading(page, *report.root);
        text::write_throughput(page, *report.root);
        text::write_latency(page, *report.root);
        text::write_distribution(page, *report.root);
        page.gap();
        text::write_schedule(page, *report.root);
        text::write_outcomes(page, *report.root);
        text::write_audit(page, *report.root);
        text::write_verdict(page, *report.root);
        if (out.write(out.self, page.text().data(), page.text().size()) != 0) {
            throw std::runtime_error("the report could not be written: the output is closed or full");
        }
    }

    text::Charset charset;
};

}  // namespace

RL_PLUGIN_EXPORT(Text)
