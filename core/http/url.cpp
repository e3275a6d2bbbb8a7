// See url.hpp. Each step takes its part from the front of the text or says why it cannot.
#include "core/http/url.hpp"

#include <algorithm>
#include <utility>

#include "core/base/addresses.hpp"
#include "core/http/octets.hpp"

namespace rl::http {
namespace {

constexpr size_t kHostOctetsMax = 253;  // RFC 1035 2.3.4, without the root label
constexpr char kHexDigits[] = "0123456789ABCDEF";

std::string escaped(char c, const char* prefix) {
    const auto octet = static_cast<unsigned char>(c);
    return std::string(prefix) + kHexDigits[octet >> 4] + kHexDigits[octet & 15];
}

bool is_unprintable(char c) { return is(kControl, c) || c == '\t' || c == 127; }

// The URL as it may be shown in one line: nothing that moves a cursor, and no credentials.
std::string shown(std::string_view text) {
    std::string line;
    for (const char c : without_credentials(text)) line += is_unprintable(c) ? escaped(c, "\\x") : std::string(1, c);
    return line;
}

Failure refuse(std::string_view text, const std::string& why) { return failure(Error::usage, shown(text) + ": " + why); }

std::string place(size_t index) { return std::string("octet ").append(std::to_string(index + 1)); }

// Octets that may not stand anywhere in a URL, by the words a person needs.
Result<void> check_octets(std::string_view text) {
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == ' ') return refuse(text, place(i) + " is a blank; write it as %20");
        if (c == '\r' || c == '\n') return refuse(text, place(i) + " is a line end, which would split the request; take it out");
        if (is_unprintable(c)) return refuse(text, place(i) + " is a control character; write it as " + escaped(c, "%"));
        if (static_cast<unsigned char>(c) >= 128) {
            return refuse(text, place(i) + " is not ASCII; write it as " + escaped(c, "%") + ", or a host name in its xn-- form");
        }
    }
    return {};
}

// Takes the scheme; `rest` is left at the authority.
Result<void> take_scheme(std::string_view text, std::string_view* rest, Url* url) {
    const size_t colon = text.find(':');
    const std::string_view scheme = text.substr(0, colon);
    const auto in_scheme = [](char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '+' || c == '-' || c == '.'; };
    const bool named = colon != std::string_view::npos && std::all_of(scheme.begin(), scheme.end(), in_scheme);
    std::string name(scheme);
    std::transform(name.begin(), name.end(), name.begin(), lower);
    if (!named || text.substr(colon).substr(0, 3) != "://") {
        if (named && (name == "http" || name == "https")) return refuse(text, "two slashes are missing; write " + name + "://HOST/");
        if (text.substr(0, 2) == "//") return refuse(text, "the scheme is missing; write http:" + shown(text));
        return {};  // as curl does: HOST/PATH is http://HOST/PATH
    }
    rest->remove_prefix(colon + 3);
    if (name == "http") return {};
    if (name == "https") {
        url->secure = true;
        return {};
    }
    if (name.empty()) return refuse(text, "the scheme is missing; write http://HOST/");
    return refuse(text, "the scheme " + name + " is not one of ringload's; use an http:// or https:// URL");
}

// "fe80::1%25eth0" from between the brackets: the address must be one, and the zone is kept apart.
Result<void> take_literal(std::string_view text, std::string_view literal, Url* url) {
    const size_t percent = literal.find('%');
    const std::string address(literal.substr(0, percent));
    if (!is_ipv6_address(address)) {
        return refuse(text, std::string("[").append(literal) + "] is not an IPv6 address; write for example [::1] or [fe80::1%25eth0]");
    }
    url->authority.append(1, '[').append(address).append(1, ']');
    url->host = address;
    if (percent == std::string_view::npos) return {};
    std::string_view zone = literal.substr(percent + 1);
    if (zone.substr(0, 2) == "25") zone.remove_prefix(2);  // RFC 6874; a bare % is taken as well, since people paste it
    const auto in_zone = [](char c) { return is(kHostOctet, c); };
    if (zone.empty() || !std::all_of(zone.begin(), zone.end(), in_zone)) {
        return refuse(text, std::string("the zone of [").append(literal) + "] is not an interface; write for example [fe80::1%25eth0]");
    }
    url->host.append(1, '%').append(zone);
    return {};
}

Result<void> take_name(std::string_view text, std::string_view name, Url* url) {
    if (name.empty()) return refuse(text, "the host is missing; write for example http://127.0.0.1:8080/");
    if (name.find(':') != std::string_view::npos) return refuse(text, "an IPv6 address stands in brackets; write http://[::1]:8080/");
    const auto in_name = [](char c) { return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z') || c == '-' || c == '.' || c == '_'; };
    const auto* const bad = std::find_if_not(name.begin(), name.end(), in_name);
    if (bad != name.end()) {
        const auto index = static_cast<size_t>(&*bad - text.data());
        return refuse(text, place(index) + ", \"" + *bad + "\", cannot stand in a host name; write its letters, digits, - and . only");
    }
    if (name.size() > kHostOctetsMax) return refuse(text, "the host name is longer than 253 octets; shorten it");
    url->host = url->authority = std::string(name);
    return {};
}

Result<void> take_port(std::string_view text, std::string_view digits, Url* url) {
    unsigned port = 0;
    for (const char c : digits) {
        if (is_digit(c)) port = port * 10 + static_cast<unsigned>(c - '0');
        if (!is_digit(c) || port > 65'535) {
            return refuse(text, "the part of the host behind the colon is not a port; write a number from 1 to 65535");
        }
    }
    if (digits.empty()) return {};  // RFC 3986 3.2.3: the default
    if (port == 0) return refuse(text, "port 0 cannot be connected to; write a number from 1 to 65535");
    url->port = static_cast<uint16_t>(port);
    if (port != (url->secure ? 443 : 80)) url->authority.append(1, ':').append(std::to_string(port));
    return {};
}

Result<void> take_authority(std::string_view text, std::string_view authority, Url* url) {
    if (authority.find('@') != std::string_view::npos) {
        return refuse(text, "credentials in a URL are not taken; leave them out and add -H 'Authorization: Basic ...'");
    }
    if (!authority.empty() && authority[0] == '[') {
        const size_t close = authority.find(']');
        if (close == std::string_view::npos) return refuse(text, "the bracket of the IPv6 address is not closed; write http://[::1]:8080/");
        RL_TRY(take_literal(text, authority.substr(1, close - 1), url));
        authority.remove_prefix(close + 1);
        if (authority.empty()) return {};
        if (authority[0] != ':') return refuse(text, "behind the bracket a port or a path follows; write http://[::1]:8080/");
        return take_port(text, authority.substr(1), url);
    }
    const size_t colon = authority.find_last_of(':');
    RL_TRY(take_name(text, authority.substr(0, colon), url));
    return colon == std::string_view::npos ? Result<void>() : take_port(text, authority.substr(colon + 1), url);
}

Result<void> take_target(std::string_view text, std::string_view rest, Url* url) {
    const std::string_view target = rest.substr(0, rest.find('#'));
    for (size_t i = 0; i < target.size(); ++i) {
        const char c = target[i];
        const size_t index = static_cast<size_t>(target.data() - text.data()) + i;
        if (c == '%') {
            const bool escape = i + 2 < target.size() && is(kHexDigit, target[i + 1]) && is(kHexDigit, target[i + 2]);
            if (!escape) return refuse(text, place(index) + " is % without two hexadecimal digits; write it as %25");
        } else if (!is(kUrlOctet, c) && c != '[' && c != ']') {  // brackets are common in queries, and servers take them
            return refuse(text, place(index) + ", \"" + c + "\", cannot stand in a URL; write it as " + escaped(c, "%"));
        }
    }
    if (target.empty() || target[0] != '/') url->target.append(1, '/');
    url->target.append(target);
    return {};
}

}  // namespace

std::string without_credentials(std::string_view url) {
    const size_t scheme = url.find("://");
    const size_t start = scheme == std::string_view::npos ? 0 : scheme + 3;
    const size_t at = url.find_last_of('@');
    if (at == std::string_view::npos || at < start) return std::string(url);
    const bool password = url.substr(start, at - start).find(':') != std::string_view::npos;
    if (!password && at >= url.find_first_of("/?#", start)) return std::string(url);
    return std::string(url.substr(0, start)).append("***").append(url.substr(at));
}

Result<Url> parse_url(std::string_view text) {
    if (text.empty()) return failure(Error::usage, "the URL is empty; write for example http://127.0.0.1:8080/");
    RL_TRY(check_octets(text));
    Url url;
    std::string_view rest = text;
    RL_TRY(take_scheme(text, &rest, &url));
    url.port = url.secure ? 443 : 80;
    const size_t end = std::min(rest.find_first_of("/?#"), rest.size());
    RL_TRY(take_authority(text, rest.substr(0, end), &url));
    RL_TRY(take_target(text, rest.substr(end), &url));
    return url;
}

}  // namespace rl::http
