// Every option of `ringload run`, in one table: the parser, --help, the manual page and the shell completions read nothing else.
//
// Standard library only: the generator of the documentation is built from it before anything else is.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace rl::cli {

enum class OptionId : uint8_t {
    connections,
    duration,
    requests,
    rate,
    load_model,
    stages,
    arrival,
    deadline,
    spread,
    ramp_up,
    warmup,
    warmup_requests,
    latency_correction,
    timeout,
    pipeline,
    disable_keepalive,
    requests_per_connection,
    seed,
    method,
    header,
    data,
    data_binary,
    body,
    body_file,
    body_stdin,
    cacert,
    insecure,
    cert,
    key,
    tls_min,
    tls_max,
    ciphers,
    sni,
    no_session_reuse,
    threads,
    backend,
    wait,
    pin,
    output_format,
    json,
    output_file,
    save,
    hgrm,
    quiet,
    progress,
    no_progress,
    no_color,
    latency,
    fail_on_invalid,
    source,
    pacer,
    reporter,
    plugin_path,
    dump_config,
    help,
    version,
    refused_script,  // known from other tools and refused with a hint
    refused_r,
    refused_k,
};

enum class ValueType : uint8_t {
    none,      // a flag
    optional,  // a value behind an equals sign, or `def` if it is left out: --help, --help=NAME
    count,
    time,
    rate,
    text,
    file,
    directory,
    choice,  // one of `choices`, or whatever else the option's help says
};

enum class Shown : uint8_t {
    first,   // in --help
    rest,    // in --help=all and the manual only
    hidden,  // nowhere: options that are refused
};

struct OptionSpec {
    OptionId id;
    char short_name;           // 0: none
    std::string_view name;     // long; empty for those that have only a letter
    std::string_view aliases;  // parted by blanks; one letter is a short option
    std::string_view metavar;
    ValueType type;
    std::string_view def;      // as typed; empty: none
    std::string_view choices;  // parted by blanks
    std::string_view group;    // name of a GroupSpec
    Shown shown;
    std::string_view help;  // a phrase without a full stop, for a column of --help
    std::string_view more;  // whole sentences, for the manual; may be empty
};

struct GroupSpec {
    std::string_view name;   // --help=NAME
    std::string_view title;  // "Load"
};

struct CommandSpec {
    std::string_view name, usage, help;
};

struct ExampleSpec {
    std::string_view command, help;
};

struct ExitSpec {
    int status;
    std::string_view help;
};

std::span<const OptionSpec> option_table() noexcept;
std::span<const GroupSpec> group_table() noexcept;
std::span<const CommandSpec> command_table() noexcept;
std::span<const ExampleSpec> example_table() noexcept;
std::span<const ExitSpec> exit_table() noexcept;

const OptionSpec& option_of(OptionId id) noexcept;

std::vector<std::string_view> words(std::string_view text);  // what stands between blanks

}  // namespace rl::cli
