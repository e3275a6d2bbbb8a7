// URLs as somebody might type them. What is accepted must be fit to be sent, and must come out the same when it is read again.
#include <cstdlib>

#include "core/http/url.hpp"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

bool printable(std::string_view text) {
    for (const char c : text) {
        if (c <= ' ' || c == 127) return false;
    }
    return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto url = rl::http::parse_url(text);
    if (!url) {
        require(!url.error().text.empty() && url.error().text.find('\n') == std::string::npos);
        return 0;
    }
    require(!url->host.empty() && url->port != 0 && !url->authority.empty());
    require(url->target[0] == '/' && url->target.find('#') == std::string::npos);
    require(printable(url->target) && printable(url->authority) && url->authority.find_first_of("/?#@%") == std::string::npos);

    const auto again = rl::http::parse_url((url->secure ? "https://" : "http://") + url->authority + url->target);
    require(again.has_value());
    require(again->authority == url->authority && again->target == url->target && again->port == url->port);
    require(again->host == url->host.substr(0, url->host.find('%')));
    return 0;
}
