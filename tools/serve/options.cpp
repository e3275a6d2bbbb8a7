// Reading what option_rows.hpp describes; hints and help are made from it.
#include "tools/serve/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "tools/serve/answer.hpp"
#include "tools/serve/option_rows.hpp"

namespace rl::serve {
namespace {

// Stores a value that was understood; false when it was not, or when it lies below `least` or above `most`.
template <class Value, class Into>
bool put(const std::optional<Value>& value, Into& into, uint64_t least = 0, uint64_t most = UINT64_MAX / 2) {
    if (!value || static_cast<uint64_t>(*value) < least || static_cast<uint64_t>(*value) > most) return false;
    into = static_cast<Into>(*value);
    return true;
}

bool put(std::optional<double> value, double& into) {
    if (value) into = *value;
    return value.has_value();
}

using Text = std::string_view;

bool read_chunked(Options& o, Text v) {
    o.answer.framing = Framing::chunked;
    return v.empty() || put(read_size(v), o.answer.chunk_bytes, 1, 1ULL << 30);
}

bool read_slow(Options& o, Text v) {
    const auto pair = read_size_per_time(v);
    if (pair) o.answer.slow_bytes = pair->first;
    if (pair) o.answer.slow_every_ns = pair->time_ns;
    return pair.has_value();
}

bool read_every(Options& o, Text v) {
    const auto pair = read_count_and_time(v);
    if (pair) o.every_count = pair->first;
    if (pair) o.every_ns = pair->time_ns;
    return pair.has_value();
}

bool read_mix(Options& o, Text v) {
    const auto mix = read_status_mix(v);
    if (!mix) return false;
    o.answer.status = mix->front().status;
    o.statuses = mix->size() > 1 ? *mix : std::vector<StatusShare>();
    return true;
}

bool read_cpus(Options& o, Text v) {
    const auto cpus = read_cpu_list(v);
    if (cpus) o.cpus = *cpus;
    return cpus.has_value();
}

bool read_listen(Options& o, Text v) {
    const bool bracketed = v.size() > 2 && v.front() == '[' && v.back() == ']';
    o.listen = bracketed ? v.substr(1, v.size() - 2) : v;
    return !o.listen.empty();
}

using Read = bool (*)(Options&, Text);

struct Reader {
    Text name;
    Read read;
};

// clang-format off
constexpr auto kReaders = std::to_array<Reader>({
    {"listen", read_listen},
    {"port", [](Options& o, Text v) { return put(read_count(v), o.port, 0, 65535); }},
    {"threads", [](Options& o, Text v) { return put(read_count(v), o.threads, 1, 256); }},
    {"cpu", read_cpus},
    {"spin", [](Options& o, Text) { return o.spin = true; }},
    {"for", [](Options& o, Text v) { return put(read_time(v), o.run_for_ns, 1); }},
    {"size", [](Options& o, Text v) { return put(read_size(v), o.answer.size, 0, 1ULL << 40); }},
    {"head", [](Options& o, Text v) { return put(read_size(v), o.answer.head_bytes, 1, 1ULL << 20); }},
    {"status", read_mix},
    {"chunked", read_chunked},
    {"close-per-request", [](Options& o, Text) { return o.answer.close = true; }},
    {"requests-per-connection", [](Options& o, Text v) { return put(read_count(v), o.requests_per_connection, 1); }},
    {"delay", [](Options& o, Text v) { return put(read_time(v), o.answer.delay_ns); }},
    {"jitter", [](Options& o, Text v) { return put(read_time(v), o.answer.jitter_ns); }},
    {"every", read_every},
    {"slow", read_slow},
    {"seed", [](Options& o, Text v) { return put(read_count(v), o.seed); }},
    {"reset", [](Options& o, Text v) { return put(read_probability(v), o.reset); }},
    {"garbage", [](Options& o, Text v) { return put(read_probability(v), o.garbage); }},
    {"half", [](Options& o, Text v) { return put(read_probability(v), o.half); }},
    {"never", [](Options& o, Text v) { return put(read_probability(v), o.never); }},
    {"max-connections", [](Options& o, Text v) { return put(read_count(v), o.connections_max, 1); }},
    {"freeze", [](Options& o, Text) { return o.frozen = true; }},
    {"freeze-for", [](Options& o, Text v) { return put(read_time(v), o.freeze_for_ns, 1); }},
    {"record-arrivals", [](Options& o, Text v) { return put(read_count(v), o.record_arrivals, 1, 100'000'000); }},
});
// clang-format on

constexpr bool every_row_has_its_reader() {
    for (size_t i = 0; i < kOptionRows.size(); ++i) {
        if (kOptionRows[i].name != kReaders[i].name) return false;
    }
    return true;
}
static_assert(kReaders.size() == kOptionRows.size() && every_row_has_its_reader(), "the two tables are in the same order");

Read reader_of(const OptionRow& row) { return kReaders[static_cast<size_t>(&row - kOptionRows.data())].read; }

std::string help_page() {
    std::string page =
        "Usage: ringload serve [OPTIONS]\n"
        "An HTTP/1.1 target for load tests: answers every path, counts everything, misbehaves on demand.\n\n"
        "  ringload serve --port 0 --size 64KiB\n"
        "  ringload serve --delay 1ms --every 100:50ms\n"
        "  ringload serve --status 200=0.97,503=0.03 --reset 1%\n";
    for (const OptionRow& row : kOptionRows) {
        if (!row.group.empty()) page += fmt::format("\n{}:\n", row.group);
        const Text gap = row.metavar.empty() || row.metavar.front() == '[' ? "" : " ";
        page += fmt::format("  {:<30} {}\n", fmt::format("--{}{}{}", row.name, gap, row.metavar), row.help);
    }
    page +=
        "\nA URL overrides the options: /?size=4096&head=573&delay=5ms&jitter=1ms&status=404&chunked=1&slow=100/10ms\n"
        "  &close=1&fault=reset (or garbage, half, never).  /stats tells what was received, /stats/reset zeroes it.\n"
#if defined(_WIN32)
        "Lines on standard input: freeze holds the answers up, thaw lets them go, end (or Ctrl-C) ends it with a summary.\n";
#else
        "Signals: SIGUSR1 freezes the answers, SIGUSR2 thaws them, SIGINT and SIGTERM end it with a summary.\n";
#endif
    return page;
}

// Edit distance with single insertions, deletions and replacements.
size_t distance(Text a, Text b) {
    std::vector<size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), size_t{0});
    for (size_t i = 0; i < a.size(); ++i) {
        size_t diagonal = row[0];
        row[0] = i + 1;
        for (size_t j = 0; j < b.size(); ++j) {
            const size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

Reading refuse(std::string why) { return {Asked::refuse, "ringload serve: " + std::move(why), {}}; }

Reading refuse_unknown(Text word, Text name) {
    const auto nearest = std::min_element(kOptionRows.begin(), kOptionRows.end(), [&](const OptionRow& a, const OptionRow& b) {
        return distance(name, a.name) < distance(name, b.name);
    });
    if (distance(name, nearest->name) <= std::max<size_t>(2, name.size() / 3)) {
        return refuse(fmt::format("{}: unknown option; did you mean --{}?", word, nearest->name));
    }
    return refuse(fmt::format("{}: unknown option; ringload serve --help lists them", word));
}

// What no single value shows: the faults share one draw, and the head must hold what an answer has to say.
Reading check_together(Reading reading) {
    const Options& o = reading.options;
    if (o.reset + o.garbage + o.half + o.never > 1.0 + 1e-9) {
        return refuse("--reset, --garbage, --half and --never together exceed 1; an answer can have one fault only");
    }
    if (o.answer.head_bytes != 0) {
        AnswerSpec spec = o.answer;
        const std::vector<StatusShare> only{{o.answer.status, 1.0}};
        for (const StatusShare& share : o.statuses.empty() ? only : o.statuses) {
            spec.status = share.status;
            if (const uint64_t least = least_head_bytes(spec); o.answer.head_bytes < least) {
                return refuse(fmt::format("--head {}: the head of a {} takes at least {} octets", o.answer.head_bytes, spec.status, least));
            }
        }
    }
    return reading;
}

}  // namespace

Reading read_options(int argc, const char* const* argv) {
    Reading reading;
    for (int i = 1; i < argc; ++i) {
        const Text word = argv[i];
        if (word == "--help" || word == "-h") return {Asked::help, help_page(), {}};
        if (word.substr(0, 2) != "--" || word.size() < 3) {
            return refuse(fmt::format("{}: only options are understood here; the port is --port N", word));
        }
        const size_t equals = word.find('=');
        const Text name = word.substr(2, equals == Text::npos ? equals : equals - 2);
        const auto* const row = std::find_if(kOptionRows.begin(), kOptionRows.end(), [&](const OptionRow& r) { return r.name == name; });
        if (row == kOptionRows.end()) return refuse_unknown(word, name);
        Text value = equals == Text::npos ? Text() : word.substr(equals + 1);
        if (row->metavar.empty()) {
            if (equals != Text::npos) return refuse(fmt::format("{}: --{} takes no value", word, name));
        } else if (equals == Text::npos && row->metavar.front() != '[') {
            if (i + 1 == argc) return refuse(fmt::format("--{}: a value is missing; write --{} {}", name, name, row->metavar));
            value = argv[++i];
        }
        const bool left_out = equals == Text::npos && value.empty();
        const bool empty_value = value.empty() && !row->metavar.empty() && !(left_out && row->metavar.front() == '[');
        if (empty_value || !reader_of(*row)(reading.options, value)) {
            return refuse(fmt::format("--{} {}: \"{}\" is not {}", name, value, value, row->expected));
        }
    }
    return check_together(std::move(reading));
}

}  // namespace rl::serve
