// Any words on the command line: parsed, resolved or refused in one line, never a crash, and never a plan outside its bounds.
//
// The input is cut at zero octets into words. Options that read files or standard input, or look at the machine, are left out, so that
// an input means the same everywhere.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/assert.hpp"
#include "tools/ringload/cli.hpp"
#include "tools/ringload/plan.hpp"

namespace {

using rl::cli::OptionId;

std::vector<std::string> words_of(std::string_view input) {
    std::vector<std::string> words(1);
    for (const char c : input) {
        if (c == '\0') {
            words.emplace_back();
        } else {
            words.back() += c;
        }
    }
    return words;
}

bool looks_outside(const rl::cli::CommandLine& line) {
    for (const rl::cli::Given& given : line.options) {
        switch (given.spec->id) {
            case OptionId::body_file:
            case OptionId::body_stdin:
            case OptionId::data_binary:
            case OptionId::pin:
                return true;
            default:
                break;
        }
    }
    return false;
}

void check_failure(const rl::Failure& failure) {
    RL_ASSERT(!failure.text.empty());
    RL_ASSERT(failure.code == rl::Error::usage);
}

void check_plan(const rl::engine::RunSpec& spec) {
    RL_ASSERT(spec.workers >= 1 && spec.workers <= spec.connections);
    RL_ASSERT(spec.duration > 0 || spec.requests > 0);
    RL_ASSERT(spec.timeout >= 0);
    RL_ASSERT(spec.pipeline >= 1 && spec.pipeline <= 64);
    RL_ASSERT(spec.requests_per_connection_min <= spec.requests_per_connection_max);
    RL_ASSERT(spec.rate == 0 || (spec.rate >= 1e-6 && spec.rate <= 1e9));
    RL_ASSERT(spec.load_model == rl::engine::LoadModel::closed || spec.rate > 0);
    RL_ASSERT(spec.port > 0 && !spec.host.empty() && !spec.request.target.empty() && !spec.request.method.empty());
    // Nothing in a head may split it.
    constexpr std::string_view kSplitters("\r\n\0", 3);
    for (const auto& [name, value] : spec.request.headers) {
        RL_ASSERT(name.find_first_of(kSplitters) == std::string::npos && value.find_first_of(kSplitters) == std::string::npos);
    }
    RL_ASSERT(spec.request.target.find_first_of(kSplitters) == std::string::npos);
    RL_ASSERT(spec.request.authority.find_first_of(kSplitters) == std::string::npos);
    RL_ASSERT(spec.request.method.find_first_of(kSplitters) == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    constexpr size_t kInputMax = 4096;
    if (size > kInputMax) return 0;
    const auto words = words_of({reinterpret_cast<const char*>(data), size});
    const auto line = rl::cli::scan(words, {}, rl::cli::DottedNames::tolerated);
    if (!line) {
        check_failure(line.error());
        return 0;
    }
    if (looks_outside(*line)) return 0;
    const auto plan = rl::cli::resolve(*line);
    if (plan) {
        check_plan(plan->spec);
    } else {
        check_failure(plan.error());
    }
    return 0;
}
