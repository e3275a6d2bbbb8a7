// The engine keeps a cause and no text; what it means for a person is said here.
#include "core/report/error_text.hpp"

#include <string_view>

#include "core/base/units.hpp"

namespace rl::report {
namespace {

using engine::IoError;
using stats::TransportError;

std::string_view cause_text(IoError cause) {
    switch (cause) {
        case IoError::reset:
            return "the connection was reset by the target, or broke while sending";
        case IoError::refused:
            return "the target refused the connection: nobody listens on that port, or its queue is full";
        case IoError::timed_out:
            return "the system gave up waiting for the target";
        case IoError::unreachable:
            return "the target's network or host cannot be reached";
        case IoError::no_ports:
            return "no local port was free: keep connections, or use fewer";
        case IoError::no_files:
            return "the limit on open files was reached (ulimit -n)";
        case IoError::no_memory:
            return "the system had no memory for the connection";
        case IoError::peer_closed:
            return "the target closed the connection before its answer was whole";
        case IoError::other:
        case IoError::none:
            break;
    }
    return "";
}

}  // namespace

std::string error_text(const engine::RunResult& run, TransportError error) {
    if (error == TransportError::tls_error && !run.tls_failure.empty()) return run.tls_failure;
    const std::string_view cause = cause_text(run.stats.causes[static_cast<size_t>(error)]);
    if (!cause.empty()) return std::string(cause);
    const std::string limit = run.spec.timeout > 0 ? " within " + format_duration(run.spec.timeout) : "";
    switch (error) {
        case TransportError::connect_timeout:
            return limit.empty() ? "" : "no connection" + limit;
        case TransportError::request_timeout:
            return limit.empty() ? "" : "no whole answer" + limit;
        case TransportError::protocol_error:
            return "what the target sent is no HTTP/1.1 answer";
        default:
            return "";
    }
}

}  // namespace rl::report
