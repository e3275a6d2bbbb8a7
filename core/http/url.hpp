// Splits and checks the URL of a target (RFC 3986, RFC 9110 4.2). Cold path; no look-up, no decoding: the target goes out as written.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/result.hpp"

namespace rl::http {

struct Url {
    bool secure = false;  // https
    std::string host;     // to resolve: a name, or an address without brackets; a zone follows as %eth0 (RFC 6874)
    uint16_t port = 80;
    std::string target;     // path and query, "/" if there is none; never the fragment
    std::string authority;  // for Host: brackets around IPv6, no zone, no default port
};

// "http://host:port/path?query", the same with https, or without a scheme. A failure names the URL, the place and the remedy; credentials are not
// repeated in it.
Result<Url> parse_url(std::string_view text);

// The URL as a message may repeat it: "***" stands for what is before its @, even behind a slash if it holds a colon, since a password
// should not hold one but might.
std::string without_credentials(std::string_view url);

}  // namespace rl::http
