// What does an answer cost to read, by its shape? Nanoseconds per answer (the column Time), for heads of 140 and 573 octets.
//
// The yardstick is what a first attempt does: each octet into a std::string, lines looked at when they are complete. 64 copies that
// differ in date and version are read in turn. The budget: 30 ns for the small head, 80 ns for the large one (AVX-512 or AVX2).
#include <benchmark/benchmark.h>

#include "bench/micro/answers.hpp"
#include "core/base/assert.hpp"
#include "core/http/response_reader.hpp"

namespace rl::bench {
namespace {

using http::Event;
using http::RequestKind;
using http::ResponseReader;

void read_whole(benchmark::State& state, const std::vector<std::string>& answers) {
    ResponseReader reader;
    uint64_t octets = 0;
    size_t next = 0;
    for (auto _ : state) {
        const std::string& answer = answers[next++ % kCopies];
        const http::Step step = reader.read(answer.data(), answer.size(), RequestKind::normal);
        RL_ASSERT(step.event == Event::response && step.used == answer.size());
        octets += step.used;
    }
    state.SetBytesProcessed(static_cast<int64_t>(octets));
}

void small(benchmark::State& state) { read_whole(state, copies(small_head, "ok")); }
BENCHMARK(small);

void large(benchmark::State& state) { read_whole(state, copies(large_head, "ok")); }
BENCHMARK(large);

std::string chunked_head(size_t copy) {
    std::string head = small_head(copy);
    return head.replace(head.find("Content-Length: 2"), 17, "Transfer-Encoding: chunked");
}
void chunked(benchmark::State& state) { read_whole(state, copies(chunked_head, "400\r\n" + std::string(1024, 'x') + "\r\n0\r\n\r\n")); }
BENCHMARK(chunked);

// Sixteen answers in one buffer; the time is for one of them.
void pipelined(benchmark::State& state) {
    std::string buffer;
    for (size_t i = 0; i < 16; ++i) buffer += small_head(i) + "ok";
    ResponseReader reader;
    const char* at = buffer.data();
    const char* const end = at + buffer.size();
    for (auto _ : state) {
        const http::Step step = reader.read(at, static_cast<size_t>(end - at), RequestKind::normal);
        RL_ASSERT(step.event == Event::response);
        at = at + step.used == end ? buffer.data() : at + step.used;
    }
}
BENCHMARK(pipelined);

// The head is cut in the middle, so that all of it is read octet by octet.
void cut(benchmark::State& state) {
    const std::vector<std::string> answers = copies(small_head, "ok");
    ResponseReader reader;
    size_t next = 0;
    for (auto _ : state) {
        const std::string& answer = answers[next++ % kCopies];
        const http::Step first = reader.read(answer.data(), 70, RequestKind::normal);
        const http::Step second = reader.read(answer.data() + 70, answer.size() - 70, RequestKind::normal);
        RL_ASSERT(first.event == Event::need_more && second.event == Event::response);
    }
}
BENCHMARK(cut);

// The yardstick: true when the answer is complete.
bool read_by_string(std::string_view octets, std::string& line) {
    size_t length = 0, i = 0;
    line.clear();
    for (; i < octets.size(); ++i) {
        if (octets[i] != '\n') {
            line += octets[i];
            continue;
        }
        if (!line.empty() && line.back() == '\r') line.pop_back();
        if (line.empty()) break;
        for (char& c : line) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
        if (line.starts_with("content-length:")) length = static_cast<size_t>(std::stoul(line.substr(15)));
        line.clear();
    }
    return i + 1 + length == octets.size();
}

void by_string(benchmark::State& state, std::string (*head)(size_t)) {
    const std::vector<std::string> answers = copies(head, "ok");
    std::string line;
    size_t next = 0;
    for (auto _ : state) RL_ASSERT(read_by_string(answers[next++ % kCopies], line));
}
void small_by_string(benchmark::State& state) { by_string(state, small_head); }
BENCHMARK(small_by_string);
void large_by_string(benchmark::State& state) { by_string(state, large_head); }
BENCHMARK(large_by_string);

}  // namespace
}  // namespace rl::bench

BENCHMARK_MAIN();
