// The option table of `ringload serve`: one row an option, from which reading, hints and help are made.
#include "tools/serve/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string_view>

#include "tools/serve/answer.hpp"

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

struct Row {
    Text group;    // empty: the same group as the row above
    Text name;     // without the dashes
    Text metavar;  // empty: a switch; "[=X]": the value may be left out
    Text help;
    Text expected;  // completes "is not ..."
    bool (*read)(Options&, Text);
};

constexpr Text kTimeWanted = "a time; write it like 250us, 5ms or 1.5s";
constexpr Text kCountWanted = "a whole number from 1 up";
constexpr Text kShareWanted = "a probability; write it from 0 to 1, or like 5%";

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

// clang-format off
constexpr auto kRows = std::to_array<Row>({
    {"Where it listens and runs", "listen", "ADDR", "address to listen on (127.0.0.1); [::1] works", "an address", read_listen},
    {"", "port", "N", "port to listen on (8080); 0 takes a free one and prints it", "a port; write a number from 0 to 65535",
     [](Options& o, Text v) { return put(read_count(v), o.port, 0, 65535); }},
    {"", "threads", "N", "worker threads, each with its own listening socket (1)", "a thread count from 1 to 256",
     [](Options& o, Text v) { return put(read_count(v), o.threads, 1, 256); }},
    {"", "cpu", "LIST", "CPUs to pin the workers to, like 1 or 0,2-3", "a list of CPUs; write it like 1 or 0,2-3", read_cpus},
    {"", "spin", "", "never sleep, so that the client is the bottleneck", "", [](Options& o, Text) { return o.spin = true; }},
    {"", "for", "TIME", "end after TIME", kTimeWanted, [](Options& o, Text v) { return put(read_time(v), o.run_for_ns, 1); }},
    {"What it answers", "size", "BYTES", "octets of the body (2)", "a size; write it like 4096, 64KiB or 1MiB",
     [](Options& o, Text v) { return put(read_size(v), o.answer.size, 0, 1ULL << 40); }},
    {"", "head", "BYTES", "pad the head to exactly this many octets", "a head size; write it like 573 or 4KiB, up to 1MiB",
     [](Options& o, Text v) { return put(read_size(v), o.answer.head_bytes, 1, 1ULL << 20); }},
    {"", "status", "MIX", "statuses and their shares, like 200=0.97,503=0.03",
     "a status mix; write it like 404 or 200=0.97,503=0.03, statuses from 200 to 599, shares that add up to 1", read_mix},
    {"", "chunked", "[=SIZE]", "chunked framing, in chunks of SIZE (16KiB)", "a chunk size; write it like 1000 or 16KiB", read_chunked},
    {"", "close-per-request", "", "Connection: close after every answer", "", [](Options& o, Text) { return o.answer.close = true; }},
    {"", "requests-per-connection", "N", "close a connection after its N-th answer", kCountWanted,
     [](Options& o, Text v) { return put(read_count(v), o.requests_per_connection, 1); }},
    {"When it answers", "delay", "TIME", "wait before each answer", kTimeWanted,
     [](Options& o, Text v) { return put(read_time(v), o.answer.delay_ns); }},
    {"", "jitter", "TIME", "and a random time between 0 and TIME more", kTimeWanted,
     [](Options& o, Text v) { return put(read_time(v), o.answer.jitter_ns); }},
    {"", "every", "N:TIME", "every N-th answer waits TIME instead", "a mixture; write it like 10:100ms", read_every},
    {"", "slow", "BYTES/TIME", "dribble the body: BYTES, then wait TIME", "a dribble; write it like 100/10ms", read_slow},
    {"", "seed", "N", "seed of all that is random (1)", "a whole number", [](Options& o, Text v) { return put(read_count(v), o.seed); }},
    {"Faults", "reset", "P", "with probability P, reset the connection instead", kShareWanted,
     [](Options& o, Text v) { return put(read_probability(v), o.reset); }},
    {"", "garbage", "P", "... answer octets that are no HTTP", kShareWanted,
     [](Options& o, Text v) { return put(read_probability(v), o.garbage); }},
    {"", "half", "P", "... send half of the answer, then close", kShareWanted, [](Options& o, Text v) { return put(read_probability(v), o.half); }},
    {"", "never", "P", "... never answer", kShareWanted, [](Options& o, Text v) { return put(read_probability(v), o.never); }},
    {"", "max-connections", "N", "accept further connections, but ignore them", kCountWanted,
     [](Options& o, Text v) { return put(read_count(v), o.connections_max, 1); }},
    {"", "freeze", "", "begin frozen, as if after SIGUSR1", "", [](Options& o, Text) { return o.frozen = true; }},
    {"", "freeze-for", "TIME", "a freeze ends by itself after TIME", kTimeWanted,
     [](Options& o, Text v) { return put(read_time(v), o.freeze_for_ns, 1); }},
    {"What it remembers", "record-arrivals", "N", "keep the last N arrival times for /stats?arrivals=1", "a whole number from 1 to 100000000",
     [](Options& o, Text v) { return put(read_count(v), o.record_arrivals, 1, 100'000'000); }},
});
// clang-format on

std::string help_page() {
    std::string page =
        "Usage: ringload serve [OPTIONS]\n"
        "An HTTP/1.1 target for load tests: answers every path, counts everything, misbehaves on demand.\n\n"
        "  ringload serve --port 0 --size 64KiB\n"
        "  ringload serve --delay 1ms --every 100:50ms\n"
        "  ringload serve --status 200=0.97,503=0.03 --reset 1%\n";
    for (const Row& row : kRows) {
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
    const auto nearest = std::min_element(kRows.begin(), kRows.end(),
                                          [&](const Row& a, const Row& b) { return distance(name, a.name) < distance(name, b.name); });
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
        const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& r) { return r.name == name; });
        if (row == kRows.end()) return refuse_unknown(word, name);
        Text value = equals == Text::npos ? Text() : word.substr(equals + 1);
        if (row->metavar.empty()) {
            if (equals != Text::npos) return refuse(fmt::format("{}: --{} takes no value", word, name));
        } else if (equals == Text::npos && row->metavar.front() != '[') {
            if (i + 1 == argc) return refuse(fmt::format("--{}: a value is missing; write --{} {}", name, name, row->metavar));
            value = argv[++i];
        }
        const bool left_out = equals == Text::npos && value.empty();
        const bool empty_value = value.empty() && !row->metavar.empty() && !(left_out && row->metavar.front() == '[');
        if (empty_value || !row->read(reading.options, value)) {
            return refuse(fmt::format("--{} {}: \"{}\" is not {}", name, value, value, row->expected));
        }
    }
    return check_together(std::move(reading));
}

}  // namespace rl::serve
