// Runs a fuzz target without libFuzzer: over its corpus, then over mutations of it from a seed that is printed, so that every compiler
// can show in a second that the target holds. An input that brings it down is left in the working folder, as fuzz-failure.
// Usage: NAME CORPUS_FOLDER [MUTATIONS [SEED]]; a file instead of a folder runs that alone.
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

std::string contents(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

const std::string* running = nullptr;

void keep_input(int signal) {  // only what a signal handler may do
    const int file = open("fuzz-failure", O_WRONLY | O_CREAT | O_TRUNC, 0644);
    if (running != nullptr && file >= 0 && write(file, running->data(), running->size()) >= 0) {
        static constexpr char kText[] = "the input is in the file fuzz-failure\n";
        if (write(STDERR_FILENO, kText, sizeof kText - 1) < 0) _exit(1);
    }
    raise(signal);  // the handler was for once
}

void keep_input_on(int signal) {
    struct sigaction action {};
    action.sa_handler = keep_input;
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    sigaction(signal, &action, nullptr);
}

void run(const std::string& input) {
    running = &input;
    LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(input.data()), input.size());
    running = nullptr;
}

size_t below(std::mt19937_64& random, size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random); }

// A few changes of the kinds that find most: an octet, a piece gone, a piece twice, the tail of another input.
std::string mutated(std::string input, const std::vector<std::string>& corpus, std::mt19937_64& random) {
    static constexpr char kTelling[] = "\r\n\t :;,%#?@[]/0123456789abcdefg\x00\x7f\x80\xff";
    for (size_t changes = 1 + below(random, 4); changes > 0; --changes) {
        const size_t at = below(random, input.size() + 1);
        const size_t span = below(random, 12);
        switch (below(random, 5)) {
            case 0:
                input.insert(at, 1, kTelling[below(random, sizeof kTelling - 1)]);
                break;
            case 1:
                if (at < input.size()) input[at] = static_cast<char>(below(random, 256));
                break;
            case 2:
                input.erase(at, span);
                break;
            case 3:
                input.insert(at, std::string(input, at, span));
                break;
            default: {
                const std::string& other = corpus[below(random, corpus.size())];
                input = input.substr(0, at).append(other, below(random, other.size() + 1), std::string::npos);
                break;
            }
        }
    }
    return input;
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 2) {
        std::fprintf(stderr, "usage: %s CORPUS_FOLDER [MUTATIONS [SEED]]\n", argv[0]);
        return 2;
    }
    keep_input_on(SIGABRT);
    keep_input_on(SIGSEGV);
    std::vector<std::filesystem::path> files;
    if (std::filesystem::is_directory(argv[1])) {
        for (const auto& entry : std::filesystem::directory_iterator(argv[1])) files.push_back(entry.path());
    } else {
        files.emplace_back(argv[1]);
    }
    std::sort(files.begin(), files.end());  // the same seed must mean the same run
    std::vector<std::string> corpus;
    for (const auto& file : files) corpus.push_back(contents(file));
    if (corpus.empty()) {
        std::fprintf(stderr, "%s holds no input\n", argv[1]);
        return 1;
    }
    for (const std::string& input : corpus) run(input);

    const unsigned long mutations = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 0;
    const uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : std::random_device()();
    std::printf("%zu inputs, %lu mutations, seed %llu\n", corpus.size(), mutations, static_cast<unsigned long long>(seed));
    std::fflush(stdout);  // the seed must be seen if the next line is a crash
    std::mt19937_64 random(seed);
    for (unsigned long i = 0; i < mutations; ++i) run(mutated(corpus[below(random, corpus.size())], corpus, random));
    return 0;
}
