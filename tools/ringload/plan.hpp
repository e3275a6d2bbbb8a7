// What one command line asks for, resolved and checked: the run itself and how it is shown. Everything behind the parser reads this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/engine/run_spec.hpp"
#include "tools/ringload/cli.hpp"

namespace rl::cli {

enum class Progress : uint8_t { automatic, always, never };  // automatic: if stderr is a terminal
enum class Color : uint8_t { automatic, never };

struct SideReport {                     // beside the main one, each in a file of its own
    std::string typed, file, reporter;  // "--save", "run.json", "json"
};

struct Plan {
    engine::RunSpec spec;
    std::string reporter = "text";  // "quiet": no report on stdout
    std::string output_file;        // "": stdout
    std::vector<SideReport> side_reports;
    Progress progress = Progress::automatic;
    Color color = Color::automatic;
    bool dump_config = false;
    bool fail_on_invalid = false;
    std::string rate_typed, pacer_typed;  // "-R 5k" or "--stages 1s:5", "--pacer NAME": as given; "": not given
    bool load_model_given = false;
    std::vector<std::string> warnings;  // whole sentences, for the report
};

// Converts and checks everything but plug-ins. Reads body files and standard input if they are asked for, the affinity mask for
// --pin, and nothing else: no network. Failures begin with the option as typed.
Result<Plan> resolve(const CommandLine& line);

// The part of it that the first pass needs: which plug-ins, and where they are looked for.
struct Selection {
    std::string source, pacer, reporter, backend;
    std::vector<std::string> plugin_path;
};
Result<Selection> select(const CommandLine& line);

// The part of resolve() that is about when requests are due: rate, stages, arrivals, load model, deadline, spread, ramp, warm-up.
Result<void> resolve_schedule(const CommandLine& line, Plan& plan);

// The part of resolve() that is about TLS. Reads the files that are named.
Result<void> resolve_tls(const CommandLine& line, Plan& plan);

// The part of resolve() that is about requests: URL, method, header fields, body.
Result<void> resolve_request(const CommandLine& line, engine::RunSpec& spec);

// "-R 5 and --stages 1s:5: ..."
Failure conflict(const Given& a, const Given& b, std::string_view why);

// "-t 30s: a thread count is ...": the option as typed in front of what is wrong with its value.
Failure wrong_value(const Given& given, std::string_view why);

}  // namespace rl::cli
