// All backends of this build, and the switches of io_uring one by one, against each other in one run: what does a message cost, sent and
// received again?
//
// Every contender has its connections to one answering thread on another CPU. A few at a time, and the first one with each of these
// groups, take turns: slices of some milliseconds, the order turned round every time, so that a drift of the machine hits all of them
// alike; ratios to the first one are made within a round. Prints a table for each shape, and all figures as JSON with --json FILE.
#include <sys/resource.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "bench/backend/comparison.hpp"
#include "core/base/cpu.hpp"
#ifdef RL_BENCH_IO_URING
#include "bench/backend/uring_peer.hpp"
#else
#include "bench/backend/echo_peer.hpp"
#endif

namespace rl::bench {
namespace {

#ifdef RL_BENCH_IO_URING
using Peer = UringPeer;
#else
using Peer = EchoPeer;
#endif

struct Settings {
    std::vector<Shape> shapes = {{10, 150, 1}, {100, 150, 1}, {1000, 150, 1}, {10, 150, 16}, {100, 150, 16}, {1000, 150, 16}};
    uint32_t rounds = 30;
    uint64_t slice_ns = 10'000'000, warm_ns = 2'000'000;
    std::vector<std::string> only;  // contenders; empty: all
    std::string json;
};

[[noreturn]] void give_up(const std::string& why) {
    std::fprintf(stderr, "compare_backends: %s\n", why.c_str());
    std::exit(2);
}

uint32_t number(const char* option, const char* text, uint32_t most) {
    char* end = nullptr;
    const unsigned long value = std::strtoul(text, &end, 10);
    if (end == text || value == 0 || value > most)
        give_up(std::string(option) + ": \"" + text + "\" is no number from 1 to " + std::to_string(most));
    return static_cast<uint32_t>(value);
}

// "100" or "100x16" or "100x16x2000": connections, messages under way on each, octets of a message.
Shape shape_of(const char* text) {
    Shape shape;
    char* end = nullptr;
    shape.connections = static_cast<uint32_t>(std::strtoul(text, &end, 10));
    if (*end == 'x') shape.depth = static_cast<uint32_t>(std::strtoul(end + 1, &end, 10));
    if (*end == 'x') shape.size = static_cast<uint32_t>(std::strtoul(end + 1, &end, 10));
    const bool sane = *end == '\0' && shape.connections - 1 < 10'000 && shape.depth - 1 < 64 && shape.size - 1 < 1 << 20;
    if (!sane) give_up(std::string("--shape: \"") + text + "\" is not understood; write CONNECTIONS[xDEPTH[xOCTETS]], as 100x16");
    return shape;
}

Settings read(int argc, char** argv) {
    Settings settings;
    std::vector<Shape> given;
    for (int i = 1; i < argc; ++i) {
        const std::string_view option = argv[i];
        if (i + 1 == argc) {
            give_up("usage: compare_backends [--shape C[xD[xS]]]... [--rounds N] [--slice-ms N] [--only NAME]... [--json FILE]");
        }
        const char* const value = argv[++i];
        if (option == "--shape") {
            given.push_back(shape_of(value));
        } else if (option == "--rounds") {
            settings.rounds = number("--rounds", value, 10'000);
        } else if (option == "--slice-ms") {
            settings.slice_ns = number("--slice-ms", value, 10'000) * uint64_t{1'000'000};
        } else if (option == "--only") {
            settings.only.emplace_back(value);
        } else if (option == "--json") {
            settings.json = value;
        } else {
            give_up(std::string(option) + " is not known");
        }
    }
    if (!given.empty()) settings.shapes = given;
    return settings;
}

// How many can take part at once. Few, so that the base's slice is never far away, and the ends of all connections are ours.
size_t group_size(Shape shape) {
    constexpr size_t kMost = 8;
    rlimit limit{};
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
    const size_t fitting = (limit.rlim_max - 200) / (2 * size_t{shape.connections} + 2);
    if (fitting < 2) give_up(std::to_string(shape.connections) + " connections of two contenders need more open files; raise ulimit -n");
    return std::min(kMost, fitting - 1);
}

// The base and these, in turn.
Table compare_group(const Settings& settings, Shape shape, const std::vector<std::string>& names, int peer_cpu) {
    Table table{shape, {}};
    std::vector<std::unique_ptr<Contender>> all = contenders(shape, names);
    Peer peer(peer_cpu);
    for (auto& one : all) {
        if (one->open(peer.endpoint())) continue;
        std::fprintf(stderr, "compare_backends: %s does not take part: %s\n", one->name().c_str(), one->problem().c_str());
        one.reset();
    }
    std::erase(all, nullptr);
    for (uint32_t round = 0; round < settings.rounds; ++round) {
        for (size_t i = 0; i < all.size(); ++i) {
            Contender& one = *all[round % 2 == 0 ? i : all.size() - 1 - i];
            if (!one.run_slice(settings.warm_ns, settings.slice_ns)) give_up(one.name() + ": " + one.problem());
        }
    }
    for (const auto& one : all) table.rows.push_back(row_of(*one));
    relate(table);
    for (const auto& one : all) one->close();
    return table;
}

Table compare(const Settings& settings, Shape shape, int peer_cpu) {
    std::vector<std::string> names;
    for (const auto& one : contenders(shape, settings.only)) names.push_back(one->name());
    const size_t size = group_size(shape);
    Table table{shape, {}};
    for (size_t first = 1; first < names.size() || table.rows.empty(); first += size) {
        const auto begin = names.begin() + static_cast<std::ptrdiff_t>(std::min(first, names.size()));
        const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(first + size, names.size()));
        std::vector<std::string> group(begin, end);
        group.push_back(names.front());
        Table part = compare_group(settings, shape, group, peer_cpu);
        const auto rows = part.rows.begin() + (table.rows.empty() ? 0 : 1);
        table.rows.insert(table.rows.end(), std::make_move_iterator(rows), std::make_move_iterator(part.rows.end()));
    }
    return table;
}

}  // namespace
}  // namespace rl::bench

int main(int argc, char** argv) {
    using namespace rl::bench;
    const Settings settings = read(argc, argv);
    const std::vector<rl::Cpu> cpus = rl::allowed_cpus();
    const bool two = cpus.size() > 1;
    if (two) (void)rl::pin_this_thread(cpus[0].id).has_value();  // refused: the figures are worse, not wrong
    if (!two) std::printf("One CPU: both sides share it, and no figure means anything.\n");
    std::vector<Table> tables;
    for (const Shape shape : settings.shapes) {
        tables.push_back(compare(settings, shape, two ? static_cast<int>(cpus[1].id) : -1));
        std::fputs(text_of(tables.back()).c_str(), stdout);
        std::fflush(stdout);
    }
    if (!settings.json.empty() && !write_json(tables, settings.json)) give_up("--json " + settings.json + ": cannot be written");
    return 0;
}
