#include "core/engine/target.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/base/addresses.hpp"

namespace rl::engine {
namespace {

constexpr uint64_t kProbeMost = 250'000'000;  // for all addresses together

bool same_address(const SocketAddress& a, const SocketAddress& b) noexcept {
    return a.length == b.length && std::memcmp(&a.storage, &b.storage, static_cast<size_t>(a.length)) == 0;
}

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// "localhost" and every name below it are this machine, whatever a name server or a hosts file says (RFC 6761 6.3).
bool is_this_machine(std::string_view host) noexcept {
    constexpr std::string_view kName = "localhost";
    if (!host.empty() && host.back() == '.') host.remove_suffix(1);
    if (host.size() < kName.size()) return false;
    if (host.size() > kName.size() && host[host.size() - kName.size() - 1] != '.') return false;
    const std::string_view end = host.substr(host.size() - kName.size());
    return std::equal(end.begin(), end.end(), kName.begin(), [](char a, char b) { return lower(a) == b; });
}

// Drops those that refuse or stay silent, unless all do.
void keep_those_that_answer(std::vector<SocketAddress>& addresses) {
    const std::vector<bool> good = which_accept(addresses, kProbeMost);
    if (std::find(good.begin(), good.end(), true) == good.end()) return;
    std::vector<SocketAddress> kept;
    for (size_t i = 0; i < addresses.size(); ++i) {
        if (good[i]) kept.push_back(addresses[i]);
    }
    addresses = std::move(kept);
}

}  // namespace

Result<std::vector<Endpoint>> resolve(const std::string& host, uint16_t port) {
    const SocketLibrary library;  // one start for all that follows
    std::vector<SocketAddress> addresses;
    if (is_this_machine(host)) {
        addresses = loopback_addresses(port);
    } else {
        auto found = look_up(host, port);
        if (!found) {
            return failure(Error::resolve,
                           "cannot resolve \"" + host + "\": " + found.error().text + "; check the name, or give an address");
        }
        for (const SocketAddress& address : *found) {
            const bool known = std::any_of(addresses.begin(), addresses.end(), [&](const auto& a) { return same_address(a, address); });
            if (!known) addresses.push_back(address);
        }
    }
    if (addresses.empty()) return failure(Error::resolve, "cannot resolve \"" + host + "\": it has no address");
    if (addresses.size() > 1) keep_those_that_answer(addresses);
    std::vector<Endpoint> endpoints;
    for (const SocketAddress& address : addresses) endpoints.push_back({address.storage, address.length, text_of(address)});
    return endpoints;
}

}  // namespace rl::engine
