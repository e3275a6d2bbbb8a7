// The hgrm reporter: one latency distribution as HdrHistogram's percentile text, which its plotters read.
//
// Format as of HdrHistogram's outputPercentileDistribution(): value in milliseconds, percentile, values at or below it, 1/(1-percentile);
// five steps from each halving of the distance to 100 % to the next, then the maximum, then a summary behind #.
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "ringload/plugin.hpp"

namespace {

constexpr int kStepsPerHalving = 5;
constexpr const char* kChoices[] = {"corrected", "service", "send_delay", nullptr};

const rl_node* member(const rl_node& node, std::string_view key) {
    if (node.type != RL_NODE_OBJECT) return nullptr;
    for (uint32_t i = 0; i < node.count; ++i) {
        if (key == node.v.items[i].key) return &node.v.items[i];
    }
    return nullptr;
}

struct Bucket {
    uint64_t highest, count;
};

std::vector<Bucket> buckets_of(const rl_host& host, const rl_histogram* histogram) {
    std::vector<Bucket> buckets;
    host.hist_each(
        histogram,
        [](void* context, uint64_t, uint64_t high, uint64_t count) {
            static_cast<std::vector<Bucket>*>(context)->push_back({high - 1, count});
        },
        &buckets);
    return buckets;
}

double ms(double ns) { return ns / 1e6; }

// Right-aligned, with a point in every locale.
std::string fixed(double value, int decimals, size_t width) {
    std::array<char, 64> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed, decimals);
    std::string out = error == std::errc() ? std::string(text.data(), end) : "0";
    return out.size() < width ? std::string(width - out.size(), ' ') + out : out;
}
std::string whole(uint64_t value, size_t width) {
    std::string out = std::to_string(value);
    return out.size() < width ? std::string(width - out.size(), ' ') + out : out;
}

void add_row(std::string& out, double value_ns, double percentile, uint64_t up_to) {
    const double rest = 1 - percentile / 100;
    out += fixed(ms(value_ns), 3, 12) + ' ' + fixed(percentile / 100, 12, 0) + ' ' + whole(up_to, 10);
    if (rest > 0) out += ' ' + fixed(1 / rest, 2, 14);
    out += '\n';
}

// The step behind `percentile`: a fifth of the way to half of what is left.
double next_percentile(double percentile) {
    const double halvings = std::floor(std::log2(100 / (100 - percentile))) + 1;
    return percentile + 100 / (kStepsPerHalving * std::exp2(halvings));
}

std::string distribution(const rl_host& host, const rl_histogram* histogram) {
    std::string out = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n";
    const std::vector<Bucket> buckets = buckets_of(host, histogram);
    uint64_t total = 0;
    for (const Bucket& bucket : buckets) total += bucket.count;
    double percentile = 0, squares = 0;
    uint64_t up_to = 0;
    const auto max = static_cast<double>(host.hist_max(histogram));
    const double mean = host.hist_mean(histogram);
    for (const Bucket& bucket : buckets) {
        up_to += bucket.count;
        const double value = std::min(static_cast<double>(bucket.highest), max);
        squares += (value - mean) * (value - mean) * static_cast<double>(bucket.count);
        for (const double here = 100.0 * static_cast<double>(up_to) / static_cast<double>(total); percentile <= here && up_to != total;) {
            add_row(out, value, percentile, up_to);
            percentile = next_percentile(percentile);
        }
    }
    if (total != 0) {
        add_row(out, max, percentile, total);
        add_row(out, max, 100, total);
    }
    const double deviation = total == 0 ? 0 : ms(std::sqrt(squares / static_cast<double>(total)));
    out += "#[Mean    = " + fixed(ms(mean), 3, 12) + ", StdDeviation   = " + fixed(deviation, 3, 12) + "]\n";
    return out + "#[Max     = " + fixed(ms(max), 3, 12) + ", Total count    = " + whole(total, 12) + "]\n";
}

struct Hgrm : rl::Reporter {
    static constexpr rl::Info info{"hgrm", RL_PLUGIN_VERSION, "a latency distribution as HdrHistogram's percentile text",
                                   "MIT OR Apache-2.0"};
    static constexpr std::array options{
        rl::one_of(rl::option(RL_OPTION_STRING, "of", "LATENCY", "corrected", "which of the three latencies"), kChoices)};

    explicit Hgrm(const rl::Open<Hgrm>& open) : of(open.string("of")) {}

    void end(const rl_report& report) const {
        const char* const key = of == "service" ? "latency_ms" : of == "send_delay" ? "send_delay_ms" : "corrected_latency_ms";
        const rl_node* const latency = member(*report.root, key);
        const rl_node* const node = latency == nullptr ? nullptr : member(*latency, "distribution");
        if (node == nullptr || node->type != RL_NODE_HISTOGRAM) {
            throw std::runtime_error("this run has no " + of + "; without a schedule there is only service, and corrected is the same");
        }
        const std::string text = distribution(*report.host, node->v.histogram);
        if (report.out->write(report.out->self, text.data(), text.size()) != 0) {
            throw std::runtime_error("the distribution could not be written: the output is closed or full");
        }
    }

    std::string of;
};

}  // namespace

RL_PLUGIN_EXPORT(Hgrm)
