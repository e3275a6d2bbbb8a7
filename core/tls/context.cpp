#include <wolfssl/options.h>

#include <wolfssl/ssl.h>
#include <wolfssl/wolfcrypt/aes.h>
#include <wolfssl/wolfcrypt/chacha20_poly1305.h>
#include <wolfssl/wolfcrypt/sha256.h>
#include <wolfssl/wolfcrypt/sha512.h>

#include <filesystem>
#include <fstream>
#include <system_error>

#include "core/base/error.hpp"
#include "core/base/path.hpp"
#include "core/tls/client.hpp"
#include "core/tls/context.hpp"

namespace rl::tls {
namespace {

// AES-128 first, as browsers do: it is the cheapest for both sides where there are instructions for it.
constexpr char kCiphers[] =
    "TLS13-AES128-GCM-SHA256:TLS13-AES256-GCM-SHA384:TLS13-CHACHA20-POLY1305-SHA256:"
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:ECDHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305:DHE-RSA-AES128-GCM-SHA256:DHE-RSA-AES256-GCM-SHA384:"
    "ECDHE-ECDSA-AES128-SHA256:ECDHE-RSA-AES128-SHA256:AES128-GCM-SHA256:AES256-GCM-SHA384:AES128-SHA256";

Failure refuse(const std::string& what, const std::string& file, const std::string& why) {
    return failure(Error::usage, what + ' ' + file + ": " + why);
}

Result<void> check_readable(const std::string& what, const std::string& file) {
    std::error_code error;
    if (std::filesystem::is_directory(path_of(file), error)) return refuse(what, file, "is a folder; name a file in PEM form");
    if (std::ifstream(path_of(file)).good()) return {};
    return refuse(what, file, "cannot be read; name a file in PEM form");
}

// Why the library would not take a file, in words; its own texts speak of its internals.
std::string reason(int code) {
    switch (code) {
        case WOLFSSL_BAD_FILE:
        case WOLFSSL_FAILURE:
        case WOLFSSL_BAD_FILETYPE:
        case ASN_NO_PEM_HEADER:
        case ASN_PARSE_E:
            return "holds nothing in PEM form that fits; it must begin with -----BEGIN";
        default:
            return std::string("is refused: ") + wolfSSL_ERR_reason_error_string(static_cast<unsigned long>(code));
    }
}

Result<void> load_trust(WOLFSSL_CTX* context, const Settings& settings) {
    if (!settings.verify) return {};
    if (settings.ca_file.empty()) {
        if (wolfSSL_CTX_load_system_CA_certs(context) == WOLFSSL_SUCCESS) return {};
        return failure(Error::usage,
                       "the system has no certificates of authorities to trust; install ca-certificates, name a file with --cacert, or do "
                       "without verification with --insecure");
    }
    RL_TRY(check_readable("--cacert", settings.ca_file));
    const int code = wolfSSL_CTX_load_verify_locations(context, settings.ca_file.c_str(), nullptr);
    if (code != WOLFSSL_SUCCESS) return refuse("--cacert", settings.ca_file, reason(code));
    return {};
}

Result<void> load_identity(WOLFSSL_CTX* context, const Settings& settings) {
    if (settings.cert_file.empty()) return {};
    RL_TRY(check_readable("--cert", settings.cert_file));
    RL_TRY(check_readable("--key", settings.key_file));
    int code = wolfSSL_CTX_use_certificate_chain_file(context, settings.cert_file.c_str());
    if (code != WOLFSSL_SUCCESS) return refuse("--cert", settings.cert_file, reason(code));
    code = wolfSSL_CTX_use_PrivateKey_file(context, settings.key_file.c_str(), WOLFSSL_FILETYPE_PEM);
    if (code != WOLFSSL_SUCCESS) return refuse("--key", settings.key_file, reason(code));
    if (wolfSSL_CTX_check_private_key(context) != WOLFSSL_SUCCESS) {
        return refuse("--key", settings.key_file, "is not the key to the certificate in " + settings.cert_file);
    }
    return {};
}

Result<void> choose_algorithms(WOLFSSL_CTX* context, const Settings& settings) {
    const auto number = [](Version version) { return version == Version::v1_2 ? TLS1_2_VERSION : TLS1_3_VERSION; };
    wolfSSL_CTX_set_min_proto_version(context, number(settings.min));
    wolfSSL_CTX_set_max_proto_version(context, number(settings.max));
    // WHY P-256 first: key and agreement cost a client less than X25519 here (handshakes against nginx, 2026-11), and every server has it.
    char groups[] = "P-256:X25519:P-384:P-521";
    wolfSSL_CTX_set1_groups_list(context, groups);
    const std::string ciphers = settings.ciphers.empty() ? kCiphers : settings.ciphers;
    if (wolfSSL_CTX_set_cipher_list(context, ciphers.c_str()) != WOLFSSL_SUCCESS) {
        return failure(Error::usage, "--ciphers " + settings.ciphers + ": names no cipher suite of this build");
    }
    return {};
}

}  // namespace

Result<WOLFSSL_CTX*> make_context(const Settings& settings) {
    WOLFSSL_CTX* const context = wolfSSL_CTX_new(wolfTLS_client_method());
    if (context == nullptr) return failure(Error::resource, "out of memory for TLS");
    Result<void> made = choose_algorithms(context, settings);
    if (made) made = load_trust(context, settings);
    if (made) made = load_identity(context, settings);
    if (!made) {
        wolfSSL_CTX_free(context);
        return made.error();
    }
    return context;
}

void free_context(WOLFSSL_CTX* context) noexcept { wolfSSL_CTX_free(context); }

// The library picks the code for each algorithm at its first use, without a lock.
void prepare_library() {
    wolfSSL_Init();
    byte key[32] = {}, out[64], tag[16], nonce[12] = {};
    wc_Sha256Hash(key, sizeof key, out);
    wc_Sha384Hash(key, sizeof key, out);
    wc_Sha512Hash(key, sizeof key, out);
    Aes aes;
    if (wc_AesInit(&aes, nullptr, INVALID_DEVID) == 0) {
        wc_AesGcmSetKey(&aes, key, 16);
        wc_AesGcmEncrypt(&aes, out, key, 16, nonce, sizeof nonce, tag, sizeof tag, nullptr, 0);
        wc_AesFree(&aes);
    }
    wc_ChaCha20Poly1305_Encrypt(key, nonce, nullptr, 0, key, 16, out, tag);
}

Result<void> check_settings(const Settings& settings) {
    prepare_library();
    auto context = make_context(settings);
    if (!context) return context.error();
    free_context(*context);
    return {};
}

std::string library_name() { return std::string("wolfSSL ") + wolfSSL_lib_version(); }

}  // namespace rl::tls
