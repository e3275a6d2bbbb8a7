// TLS: files, versions and names, checked with the library itself before any traffic.
#include "core/tls/settings.hpp"

#include <array>
#include <string>
#include <utility>

#include "core/base/addresses.hpp"
#include "tools/ringload/plan.hpp"
#if defined(RL_TLS)
#include "core/tls/client.hpp"
#endif

namespace rl::cli {
namespace {

constexpr std::array kTlsOptions = {OptionId::cacert,  OptionId::insecure, OptionId::cert,
                                    OptionId::key,     OptionId::tls_min,  OptionId::tls_max,
                                    OptionId::ciphers, OptionId::sni,      OptionId::no_session_reuse};

#if defined(RL_TLS)
Result<void> store_version(const Given* given, tls::Version& out) {
    if (given == nullptr) return {};
    if (given->value != "1.2" && given->value != "1.3") return wrong_value(*given, "\"" + given->value + "\" is none of 1.2, 1.3");
    out = given->value == "1.2" ? tls::Version::v1_2 : tls::Version::v1_3;
    return {};
}

Result<void> store_text(const Given* given, std::string& out) {
    if (given == nullptr) return {};
    if (given->value.empty()) return wrong_value(*given, "a value is needed");
    if (given->value.find('\0') != std::string::npos) return wrong_value(*given, "it may not hold a NUL");
    out = given->value;
    return {};
}

// RFC 6066 3: a host name. Letters, digits, - and _ between dots; an address is verified and never sent.
Result<void> check_server_name(const Given* given) {
    if (given == nullptr || is_ip_address(given->value)) return {};
    bool good = given->value.size() <= 253;
    size_t label = 0;
    for (const char c : given->value) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
        good = good && ((letter && label < 63) || (c == '.' && label > 0));
        label = c == '.' ? 0 : label + 1;
    }
    if (!good) return wrong_value(*given, "a server name is letters, digits and - between dots, at most 253 of them");
    return {};
}

Result<void> store_all(const CommandLine& line, tls::Settings& tls) {
    RL_TRY(store_text(line.last(OptionId::cacert), tls.ca_file));
    RL_TRY(store_text(line.last(OptionId::cert), tls.cert_file));
    RL_TRY(store_text(line.last(OptionId::key), tls.key_file));
    RL_TRY(store_text(line.last(OptionId::ciphers), tls.ciphers));
    RL_TRY(store_text(line.last(OptionId::sni), tls.server_name));
    RL_TRY(check_server_name(line.last(OptionId::sni)));
    RL_TRY(store_version(line.last(OptionId::tls_min), tls.min));
    RL_TRY(store_version(line.last(OptionId::tls_max), tls.max));
    tls.verify = !line.has(OptionId::insecure);
    tls.reuse_sessions = !line.has(OptionId::no_session_reuse);
    return {};
}

#endif

}  // namespace

Result<void> resolve_tls(const CommandLine& line, Plan& plan) {
    engine::RunSpec& spec = plan.spec;
    if (!spec.secure) {
        for (const OptionId id : kTlsOptions) {
            if (const Given* const given = line.last(id)) return wrong_value(*given, "is for https, and the URL is http; write https://");
        }
        return {};
    }
#if defined(RL_TLS)
    RL_TRY(store_all(line, spec.tls));
    const Given* const cert = line.last(OptionId::cert);
    const Given* const key = line.last(OptionId::key);
    if (cert != nullptr && key == nullptr) return wrong_value(*cert, "needs its key; add --key FILE");
    if (key != nullptr && cert == nullptr) return wrong_value(*key, "needs its certificate; add --cert FILE");
    if (spec.tls.min > spec.tls.max) {
        return conflict(*line.last(OptionId::tls_min), *line.last(OptionId::tls_max), "the least version is above the greatest");
    }
    const Given* const cacert = line.last(OptionId::cacert);
    if (cacert != nullptr && !spec.tls.verify) {
        return conflict(*cacert, *line.last(OptionId::insecure), "without verification no authority is asked for; leave one out");
    }
    if (!spec.tls.verify) {
        plan.warnings.push_back("Certificates were not verified (--insecure): anybody may have answered.");
    }
    return tls::check_settings(spec.tls);
#else
    return failure(Error::usage, spec.request.url + ": TLS is not built into this binary; use an http:// URL, or build with -Dtls=enabled");
#endif
}

}  // namespace rl::cli
