// The floor: how fast can anything send requests and receive answers on this machine, if it neither parses nor records?
//
// A bench program, not part of ringload and not linked with it. Answers must all have one size; they are counted by their octets. The
// loop waits as the engine does: it spins for a while, then sleeps. Prints "N requests in T s" at the end and when it is interrupted.
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "bench/backend/bare_common.hpp"

namespace rl::bench {
namespace {

volatile std::sig_atomic_t stop_asked = 0;

[[noreturn]] void usage(const char* word) {
    std::fprintf(stderr,
                 "bare_loop: %s: not understood; usage: bare_loop [--engine io_uring|epoll] [--connections N] [--pipeline N] "
                 "[--duration SECONDS] [--port N] [--answer-octets N] [--spin-us N]\n",
                 word);
    std::exit(2);
}

double number(const char* option, const char* text, double least, double most) {
    char* end = nullptr;
    const double value = std::strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= least && value <= most)) usage(option);
    return value;
}

BareOptions read_options(int argc, char** argv) {
    BareOptions options;
    for (int i = 1; i < argc; i += 2) {
        const std::string_view name = argv[i];
        if (i + 1 == argc) usage(argv[i]);
        const char* value = argv[i + 1];
        if (name == "--engine" && std::strcmp(value, "io_uring") == 0) {
            options.engine = Engine::io_uring;
        } else if (name == "--engine" && std::strcmp(value, "epoll") == 0) {
            options.engine = Engine::epoll;
        } else if (name == "--connections") {
            options.connections = static_cast<uint32_t>(number(argv[i], value, 1, 100'000));
        } else if (name == "--pipeline") {
            options.pipeline = static_cast<uint32_t>(number(argv[i], value, 1, kPipelineMax));
        } else if (name == "--duration") {
            options.seconds = number(argv[i], value, 0.001, 3600);
        } else if (name == "--port") {
            options.port = static_cast<uint16_t>(number(argv[i], value, 1, 65535));
        } else if (name == "--answer-octets") {
            options.answer_octets = static_cast<uint64_t>(number(argv[i], value, 1, 1e12));
        } else if (name == "--spin-us") {
            options.spin_us = static_cast<uint64_t>(number(argv[i], value, 0, 1e9));
        } else {
            usage(argv[i]);
        }
    }
    return options;
}

}  // namespace

bool interrupted() { return stop_asked != 0; }

}  // namespace rl::bench

int main(int argc, char** argv) {
    using namespace rl::bench;
    BareOptions options = read_options(argc, argv);
    struct sigaction action {};
    action.sa_handler = [](int) { stop_asked = 1; };
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    const Requests requests(options.port);
    if (options.answer_octets == 0) options.answer_octets = measure_answer(options, requests);
    const std::vector<int> sockets = connect_all(options);
    AnswerCount count(options.connections, options.answer_octets);
    const uint64_t begin = now_ns();
    if (options.engine == Engine::epoll) {
        run_bare_epoll(options, requests, sockets, count);
    } else {
        run_bare_uring(options, requests, sockets, count);
    }
    const double seconds = static_cast<double>(now_ns() - begin) / 1e9;
    std::printf("%llu requests in %.2fs, %llu octets read, %.0f requests/s\n", static_cast<unsigned long long>(count.answers()), seconds,
                static_cast<unsigned long long>(count.octets()), static_cast<double>(count.answers()) / seconds);
    return 0;
}
