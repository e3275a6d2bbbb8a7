// The fixed words for a request that failed without an answer. Their order is their number in the plug-in ABI; only append.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rl::stats {

enum class TransportError : uint8_t {
    none,
    dns_failure,
    connect_refused,
    connect_timeout,
    connect_failed,
    read_timeout,
    write_timeout,
    request_timeout,
    connection_reset,
    connection_closed,
    tls_error,
    proxy_error,
    protocol_error,
    other,
    count_
};
inline constexpr size_t kTransportErrors = static_cast<size_t>(TransportError::count_);
inline constexpr std::array<std::string_view, kTransportErrors> kTransportErrorNames = {"none",
                                                                                        "dns_failure",
                                                                                        "connect_refused",
                                                                                        "connect_timeout",
                                                                                        "connect_failed",
                                                                                        "read_timeout",
                                                                                        "write_timeout",
                                                                                        "request_timeout",
                                                                                        "connection_reset",
                                                                                        "connection_closed",
                                                                                        "tls_error",
                                                                                        "proxy_error",
                                                                                        "protocol_error",
                                                                                        "other"};

}  // namespace rl::stats
