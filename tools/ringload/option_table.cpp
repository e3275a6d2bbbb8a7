// The table itself. Order is the order of --help and of the manual.
#include "tools/ringload/option_table.hpp"

#include <array>
#include <cstdlib>

namespace rl::cli {
namespace {

using enum ValueType;
using enum Shown;

constexpr std::array kGroups = {
    GroupSpec{"load", "Load"},     GroupSpec{"request", "Request"},  GroupSpec{"tls", "TLS"},         GroupSpec{"engine", "Engine"},
    GroupSpec{"output", "Output"}, GroupSpec{"plugins", "Plug-ins"}, GroupSpec{"general", "General"},
};

constexpr std::array kCommands = {
    CommandSpec{"run", "[run] [OPTIONS] URL", "send requests and report (the word may be left out)"},
    CommandSpec{"serve", "serve [OPTIONS]", "the bundled target server"},
    CommandSpec{"list", "list [backends|plugins]", "backends and plug-ins, and what each can do here"},
    CommandSpec{"help", "help [NAME]", "this page; or that of a command, a group, a plug-in, a backend"},
};

constexpr std::array kExamples = {
    ExampleSpec{"ringload http://127.0.0.1:8080/", "10 connections, 10 seconds"},
    ExampleSpec{"ringload -t4 -c200 -d30s -R 5k http://host/", "5,000 requests a second, on time"},
    ExampleSpec{"ringload -n 1000 --data a=1 -o json http://host/form", "exactly 1,000 POSTs, JSON report"},
};

constexpr std::array kExits = {
    ExitSpec{0, "the run took place; what failed in it is in the report"},
    ExitSpec{2, "the command line, a file, a plug-in or a host name is wrong, or the report could not be written"},
    ExitSpec{3, "the target was unreachable: no valid HTTP answer at all"},
    ExitSpec{4, "the figures should not be believed (with --fail-on-invalid)"},
    ExitSpec{130, "ended by SIGINT, after the report"},
    ExitSpec{143, "ended by SIGTERM, after the report"},
};

constexpr OptionSpec kOptions[] = {
    // Load
    {OptionId::connections, 'c', "connections", "p concurrency", "N", count, "10", "", "load", first, "connections over all workers",
     "They are shared out exactly: none is lost when N is not a multiple of the thread count."},
    {OptionId::duration, 'd', "duration", "time", "TIME", time, "10s", "", "load", first, "length of the run",
     "With -n too, whichever comes first ends the run; -n alone has no time limit. A request in flight at the limit is given up to "
     "half a second more, outside the measured window."},
    {OptionId::requests, 'n', "requests", "i iterations", "N", count, "", "", "load", first, "number of requests of the whole run",
     "The total over all workers and connections, exactly. Like those of -c and -t it may be written with k, M or G: 10k is 10,000."},
    {OptionId::rate, 'R', "rate", "q qps", "RATE", rate, "", "", "load", first, "requests per second: 500, 0.5, 1.2M, 30/m",
     "In sum over all connections. Slot k is due at start + k/RATE on one timeline that is never re-anchored, and latency is also "
     "reported from that instant, so that a stalled target cannot hide behind its own stall."},
    {OptionId::load_model, 0, "load-model", "", "MODEL", choice, "", "closed scheduled open", "load", rest,
     "closed: the rate is a cap; scheduled, open: a timeline",
     "The default is scheduled with a rate or with a --pacer that keeps a timeline, else closed. In the closed model latency is service "
     "time. On a timeline a slot that finds no free connection waits and is charged for it (scheduled), or is dropped and counted (open)."},
    {OptionId::stages, 0, "stages", "replay-stages", "TIME:RATE,...", text, "", "", "load", rest,
     "a rate that changes: 10s:100,5s:100..1k ramps up",
     "Each stage lasts TIME at RATE, or goes from one rate to another in a straight line (RATE..RATE). After the last one its final rate "
     "goes on; without -d and -n the run is as long as its stages."},
    {OptionId::arrival, 0, "arrival", "", "KIND", choice, "constant", "constant poisson", "load", rest,
     "even gaps, or random ones as of independent users", "Poisson arrivals follow the seed alone, whatever the number of threads."},
    {OptionId::deadline, 0, "deadline", "", "TIME", time, "", "", "load", rest, "do not send what is later than this; count it as shed",
     "Needs a schedule."},
    {OptionId::spread, 0, "spread", "", "", none, "", "", "load", rest, "spread -n requests evenly over the -d time", ""},
    {OptionId::ramp_up, 'e', "ramp-up", "rampup", "TIME", time, "", "", "load", rest, "start the connections spread evenly over TIME", ""},
    {OptionId::warmup, 0, "warmup", "", "TIME", time, "", "", "load", rest, "the same load first, left out of every figure",
     "At its end all requests get their answers, then the run begins on the connections that are open."},
    {OptionId::warmup_requests, 0, "warmup-requests", "warmup-iterations", "N", count, "", "", "load", rest,
     "the same for N requests; with both, whichever comes first", ""},
    {OptionId::timeout, 'T', "timeout", "", "TIME", time, "2s", "", "load", first, "limit of each connect and each exchange; 0: none",
     "An exchange is timed from its first byte sent to its last byte received."},
    {OptionId::pipeline, 0, "pipeline", "", "N", count, "1", "", "load", first, "requests in flight per connection, at most 64",
     "HTTP/1.1 pipelining; each request is timed by itself."},
    {OptionId::disable_keepalive, 0, "disable-keepalive", "disable-keep-alive", "", none, "", "", "load", first,
     "a new connection for each request", "The set-up of the connection is part of the latency."},
    {OptionId::requests_per_connection, 0, "requests-per-connection", "", "N[:M]", text, "", "", "load", rest,
     "reconnect after N requests, or a random N to M", ""},
    {OptionId::seed, 0, "seed", "", "N", count, "1", "", "load", rest, "seed of everything that is random", ""},
    // Request
    {OptionId::method, 'X', "request", "m method", "METHOD", text, "", "", "request", first, "method; GET, or POST with a body", ""},
    {OptionId::header, 'H', "header", "headers", "'NAME: VALUE'", text, "", "", "request", first, "one header field, repeatable",
     "A comma belongs to the value. Host sets the authority; Connection: close asks for a new connection each time. "
     "Content-Length, Transfer-Encoding, Trailer, Expect, Upgrade, Keep-Alive and Proxy-Connection are ringload's own and refused."},
    {OptionId::data, 0, "data", "", "TEXT", text, "", "", "request", first, "form data, repeatable, joined by &",
     "Sets Content-Type: application/x-www-form-urlencoded unless that field is given."},
    {OptionId::data_binary, 0, "data-binary", "", "@FILE", file, "", "", "request", rest, "the file's bytes as form data; or TEXT",
     "As --data, but nothing is joined; @FILE is read once, byte for byte."},
    {OptionId::body, 'b', "body", "", "TEXT", text, "", "", "request", first, "body as it is", ""},
    {OptionId::body_file, 0, "body-file", "", "FILE", file, "", "", "request", first, "body from a file",
     "A FIFO is read until its writer closes it, and waited for if it has none yet."},
    {OptionId::body_stdin, 0, "body-stdin", "", "", none, "", "", "request", rest, "body from standard input", ""},
    // TLS
    {OptionId::cacert, 0, "cacert", "", "FILE", file, "", "", "tls", rest, "authorities to trust, in PEM form; else those of the system",
     ""},
    {OptionId::insecure, 0, "insecure", "skip-verify no-check-certificate", "", none, "", "", "tls", first,
     "do not verify the target's certificate", "Every report then says so."},
    {OptionId::cert, 0, "cert", "mtls-cert", "FILE", file, "", "", "tls", rest, "client certificate, with its chain, in PEM form", ""},
    {OptionId::key, 0, "key", "mtls-key", "FILE", file, "", "", "tls", rest, "the key to it, in PEM form", ""},
    {OptionId::tls_min, 0, "tls-min", "", "VERSION", choice, "1.2", "1.2 1.3", "tls", rest, "least version that is accepted", ""},
    {OptionId::tls_max, 0, "tls-max", "", "VERSION", choice, "1.3", "1.2 1.3", "tls", rest, "greatest version that is offered", ""},
    {OptionId::ciphers, 0, "ciphers", "", "LIST", text, "", "", "tls", rest, "cipher suites by their OpenSSL names, with colons",
     "Those of TLS 1.3 begin with TLS13-, as TLS13-AES128-GCM-SHA256."},
    {OptionId::sni, 0, "sni", "", "NAME", text, "", "", "tls", rest, "server name to ask for and to verify; else the URL's host", ""},
    {OptionId::no_session_reuse, 0, "no-session-reuse", "", "", none, "", "", "tls", rest, "a full handshake for each connection", ""},
    // Engine
    {OptionId::threads, 't', "threads", "w workers worker-threads", "N", count, "2", "", "engine", first,
     "worker threads, at most one per connection", "Each is a shared-nothing engine with its own connections, timers and histograms."},
    {OptionId::backend, 0, "backend", "", "NAME", text, "auto", "auto io_uring epoll", "engine", first, "I/O backend; see ringload list",
     "auto takes the best one whose probe passes and says why a better one was passed over."},
    {OptionId::wait, 0, "wait", "", "MODE", choice, "auto", "auto sleep spin batch", "engine", rest, "how a worker waits for answers",
     "auto spins for a moment and then sleeps; sleep always sleeps; spin never does; batch lets the kernel gather completions."},
    {OptionId::pin, 0, "pin", "", "CPUS", text, "auto", "auto none", "engine", rest, "auto, none, or a list as 0,2-5",
     "auto gives each worker a physical core of its own if CPUs are left over."},
    // Output
    {OptionId::output_format, 'o', "output-format", "output", "FORMAT", text, "text", "text json quiet", "output", first,
     "text, json, quiet, or a reporter's name", ""},
    {OptionId::json, 0, "json", "", "", none, "", "", "output", rest, "the same as -o json", ""},
    {OptionId::output_file, 'O', "output-file", "", "FILE", file, "", "", "output", first, "write the report here, not to stdout",
     "It is written to a temporary file in the same directory and renamed when complete; - is stdout."},
    {OptionId::save, 0, "save", "", "FILE", file, "", "", "output", first, "write the JSON report here as well", ""},
    {OptionId::hgrm, 0, "hgrm", "", "FILE", file, "", "", "output", rest, "write the latency distribution here, as HdrHistogram's text",
     "The corrected latency where there is a schedule, else the service time."},
    {OptionId::quiet, 0, "quiet", "", "", none, "", "", "output", first, "no progress, and no report unless -o asks for one", ""},
    {OptionId::progress, 0, "progress", "", "", none, "", "", "output", rest, "progress line even if stderr is no terminal", ""},
    {OptionId::no_progress, 0, "no-progress", "", "", none, "", "", "output", rest, "no progress line", ""},
    {OptionId::no_color, 0, "no-color", "", "", none, "", "", "output", rest, "no colour; so does the variable NO_COLOR", ""},
    {OptionId::latency, 0, "latency", "", "", none, "", "", "output", rest, "no effect: latencies are always shown", ""},
    {OptionId::latency_correction, 0, "latency-correction", "", "HOW", choice, "schedule", "schedule off wrk", "output", rest,
     "what the corrected latency is made of",
     "schedule: from when a request was due. off: it is the service time. wrk: the gaps that waiting for slow answers left are filled in "
     "afterwards, as wrk does."},
    {OptionId::fail_on_invalid, 0, "fail-on-invalid", "", "", none, "", "", "output", rest, "exit 4 if the figures should not be believed",
     "That is if the verdict of the audit is not valid."},
    // Plug-ins
    {OptionId::source, 0, "source", "", "NAME", text, "static_url", "", "plugins", rest, "where requests come from", ""},
    {OptionId::pacer, 0, "pacer", "", "NAME", text, "", "", "plugins", rest, "when requests are due",
     "The default is constant with a rate (poisson with --arrival poisson), stages with --stages, else unlimited."},
    {OptionId::reporter, 0, "reporter", "", "NAME", text, "", "", "plugins", rest, "the same as -o NAME", ""},
    {OptionId::plugin_path, 0, "plugin-path", "", "DIR", directory, "", "", "plugins", rest, "look for plug-ins here first, repeatable",
     "Then come RINGLOAD_PLUGIN_PATH, the place beside the program and the installed directory. The first file found is used."},
    // General
    {OptionId::dump_config, 0, "dump-config", "", "", none, "", "", "general", first, "print the resolved run as JSON, send nothing", ""},
    {OptionId::help, 'h', "help", "", "NAME", optional, "common", "all load request tls engine output plugins general", "general", first,
     "the common options; --help=all, =GROUP or =PLUG-IN", ""},
    {OptionId::version, 'V', "version", "v", "", none, "", "", "general", first, "version", ""},
    {OptionId::refused_script, 's', "script", "", "FILE", optional, "-", "", "general", hidden, "", ""},
    {OptionId::refused_r, 'r', "", "", "", optional, "-", "", "general", hidden, "", ""},
    {OptionId::refused_k, 'k', "", "", "", optional, "-", "", "general", hidden, "", ""},
};

}  // namespace

std::span<const OptionSpec> option_table() noexcept { return kOptions; }
std::span<const GroupSpec> group_table() noexcept { return kGroups; }
std::span<const CommandSpec> command_table() noexcept { return kCommands; }
std::span<const ExampleSpec> example_table() noexcept { return kExamples; }
std::span<const ExitSpec> exit_table() noexcept { return kExits; }

const OptionSpec& option_of(OptionId id) noexcept {
    for (const OptionSpec& spec : kOptions) {
        if (spec.id == id) return spec;
    }
    std::abort();
}

std::vector<std::string_view> words(std::string_view text) {
    std::vector<std::string_view> out;
    while (!text.empty()) {
        const size_t end = text.find(' ');
        if (end != 0) out.push_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return out;
}

}  // namespace rl::cli
