#include <wolfssl/options.h>

#include <wolfssl/error-ssl.h>
#include <wolfssl/ssl.h>
#include <wolfssl/wolfcrypt/error-crypt.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "core/base/addresses.hpp"
#include "core/tls/client.hpp"
#include "core/tls/context.hpp"

namespace rl::tls {
namespace {

constexpr char kProtocol[] = "http/1.1";

// The reason in a few words, and what helps.
std::string reason(int error, const std::string& name) {
    switch (error) {
        case DOMAIN_NAME_MISMATCH:
            return "the certificate is for another name than " + name + "; check the URL, or give the right name with --sni";
        case ASN_NO_SIGNER_E:
        case ASN_SELF_SIGNED_E:
            return "no trusted authority has signed the certificate; name its authority with --cacert, or do without with --insecure";
        case ASN_AFTER_DATE_E:
            return "the certificate has expired; renew it, or do without verification with --insecure";
        case ASN_BEFORE_DATE_E:
            return "the certificate is not valid yet; check the clock";
        case ASN_SIG_CONFIRM_E:
            return "the signature of the certificate is wrong";
        case SSL_ERROR_SYSCALL:
        case SOCKET_PEER_CLOSED_E:
            return "the target closed the connection during the handshake";
        case SOCKET_ERROR_E:
            return "the connection ended during the handshake; the target may not speak TLS on this port";
        case UNKNOWN_RECORD_TYPE:
        case LENGTH_ERROR:
        case VERSION_ERROR:
            return "the target answered with something that is not TLS of an accepted version; check the port, or --tls-min and --tls-max";
        case MATCH_SUITE_ERROR:
        case UNSUPPORTED_SUITE:
            return "there is no cipher suite that both sides have; check --ciphers";
        case FATAL_ERROR:  // an alert came
            return "the target refused the handshake (it may want a client certificate: --cert and --key)";
        default: {
            char text[WOLFSSL_MAX_ERROR_SZ];
            return wolfSSL_ERR_error_string(static_cast<unsigned long>(error < 0 ? -error : error), text);
        }
    }
}

}  // namespace

Client::~Client() {
    for (Slot& slot : slots_) {
        if (slot.ssl != nullptr) wolfSSL_free(slot.ssl);
    }
    if (session_ != nullptr) wolfSSL_SESSION_free(session_);
    if (context_ != nullptr) free_context(context_);
}

Result<void> Client::open(const Settings& settings, const std::string& host, uint32_t slots, Emit emit, void* self) {
    auto context = make_context(settings);
    if (!context) return context.error();
    context_ = *context;
    emit_ = emit;
    emit_self_ = self;
    verify_ = settings.verify;
    reuse_ = settings.reuse_sessions;
    key_share_ = settings.max == Version::v1_3;
    host_ = settings.server_name.empty() ? host : settings.server_name;
    send_name_ = !is_ip_address(host_);
    checked_name_ = send_name_ ? host_ : plain_ip_address(host_);
    wolfSSL_CTX_SetIORecv(context_, on_receive);
    wolfSSL_CTX_SetIOSend(context_, on_send);
    wolfSSL_CTX_set_verify(context_, verify_ ? WOLFSSL_VERIFY_PEER : WOLFSSL_VERIFY_NONE,
                           [](int accepted, WOLFSSL_X509_STORE_CTX* store) { return on_verify(accepted, store); });
    if (reuse_) {
        // WHY not the library's own cache: it is one table behind a lock for all threads.
        wolfSSL_CTX_set_session_cache_mode(context_, WOLFSSL_SESS_CACHE_CLIENT | WOLFSSL_SESS_CACHE_NO_INTERNAL);
        wolfSSL_CTX_UseSessionTicket(context_);
        wolfSSL_CTX_sess_set_new_cb(context_, on_session);
    } else {
        wolfSSL_CTX_set_session_cache_mode(context_, WOLFSSL_SESS_CACHE_OFF);
    }
    slots_.resize(slots);
    for (Slot& slot : slots_) slot.owner = this;
    return {};
}

bool Client::start(uint32_t index) noexcept {
    Slot& slot = slots_[index];
    slot.ssl = wolfSSL_new(context_);
    slot.ended = false;
    slot.input = {};
    if (slot.ssl == nullptr) return refuse_memory();
    wolfSSL_SetIOReadCtx(slot.ssl, &slot);
    wolfSSL_SetIOWriteCtx(slot.ssl, &slot);
    wolfSSL_SetCertCbCtx(slot.ssl, this);
    bool set = true;
    if (send_name_)
        set = wolfSSL_UseSNI(slot.ssl, WOLFSSL_SNI_HOST_NAME, host_.data(), static_cast<word16>(host_.size())) == WOLFSSL_SUCCESS;
    if (verify_) set = set && wolfSSL_check_domain_name(slot.ssl, checked_name_.c_str()) == WOLFSSL_SUCCESS;
    char protocol[sizeof kProtocol];
    std::memcpy(protocol, kProtocol, sizeof kProtocol);
    wolfSSL_UseALPN(slot.ssl, protocol, sizeof kProtocol - 1, WOLFSSL_ALPN_CONTINUE_ON_MISMATCH);
    if (key_share_) set = wolfSSL_UseKeyShare(slot.ssl, WOLFSSL_ECC_SECP256R1) == WOLFSSL_SUCCESS && set;
    if (session_ != nullptr) wolfSSL_set_session(slot.ssl, session_);
    if (set) return true;
    stop(index);
    return refuse_memory();
}

bool Client::refuse_memory() noexcept {
    failure_ = "out of memory for a TLS connection; lower --connections";
    return false;
}

void Client::stop(uint32_t index) noexcept {
    Slot& slot = slots_[index];
    if (slot.ssl == nullptr) return;
    wolfSSL_free(slot.ssl);
    slot.ssl = nullptr;
    slot.input = {};
}

void Client::feed(uint32_t index, std::span<const char> octets) noexcept { slots_[index].input = octets; }

Client::Shake Client::shake(uint32_t index) noexcept {
    Slot& slot = slots_[index];
    const int result = wolfSSL_connect(slot.ssl);
    if (result == WOLFSSL_SUCCESS) return Shake::done;
    const int error = wolfSSL_get_error(slot.ssl, result);
    if (error == WOLFSSL_ERROR_WANT_READ || error == WOLFSSL_ERROR_WANT_WRITE) return Shake::more;
    describe(error);
    return Shake::failed;
}

int Client::read(uint32_t index, std::span<char> out) noexcept {
    Slot& slot = slots_[index];
    const int result = wolfSSL_read(slot.ssl, out.data(), static_cast<int>(out.size()));
    if (result > 0) return result;
    const int error = wolfSSL_get_error(slot.ssl, result);
    if (error == WOLFSSL_ERROR_WANT_READ || error == WOLFSSL_ERROR_WANT_WRITE) return 0;
    if (error == WOLFSSL_ERROR_ZERO_RETURN) {
        slot.ended = true;
        return 0;
    }
    describe(error);
    return -1;
}

bool Client::write(uint32_t index, std::span<const char> octets) noexcept {
    Slot& slot = slots_[index];
    while (!octets.empty()) {
        const int size = static_cast<int>(std::min<size_t>(octets.size(), size_t{1} << 20));
        const int result = wolfSSL_write(slot.ssl, octets.data(), size);
        if (result <= 0) {
            describe(wolfSSL_get_error(slot.ssl, result));
            return false;
        }
        octets = octets.subspan(static_cast<size_t>(result));
    }
    return true;
}

int Client::on_receive(WOLFSSL*, char* buffer, int size, void* context) {
    Slot& slot = *static_cast<Slot*>(context);
    const size_t n = std::min(slot.input.size(), static_cast<size_t>(size));
    if (n == 0) return WOLFSSL_CBIO_ERR_WANT_READ;
    std::memcpy(buffer, slot.input.data(), n);
    slot.input = slot.input.subspan(n);
    return static_cast<int>(n);
}

int Client::on_send(WOLFSSL*, char* buffer, int size, void* context) {
    Slot& slot = *static_cast<Slot*>(context);
    Client& client = *slot.owner;
    client.emit_(client.emit_self_, static_cast<uint32_t>(&slot - client.slots_.data()), buffer, static_cast<size_t>(size));
    return size;
}

// WHY only from here: a session taken from a resumed connection whose new ticket has not come yet pairs the old ticket with a new
// secret, and the next handshake fails.
int Client::on_session(WOLFSSL* ssl, WOLFSSL_SESSION* session) {
    Slot& slot = *static_cast<Slot*>(wolfSSL_GetIOReadCtx(ssl));
    Client& client = *slot.owner;
    if (client.session_ != nullptr) wolfSSL_SESSION_free(client.session_);
    client.session_ = session;
    return 1;  // it is ours now
}

int Client::on_verify(int accepted, void* context) {
    if (accepted != 0) return accepted;
    auto* const store = static_cast<WOLFSSL_X509_STORE_CTX*>(context);
    auto* const client = static_cast<Client*>(store->userCtx);
    WOLFSSL_X509* const certificate = wolfSSL_X509_STORE_CTX_get_current_cert(store);
    if (client == nullptr || certificate == nullptr) return accepted;
    char name[256] = {};
    wolfSSL_X509_NAME_oneline(wolfSSL_X509_get_subject_name(certificate), name, sizeof name);
    client->subject_ = name;
    return accepted;
}

void Client::describe(int error) {
    failure_ = reason(error, host_);
    if (!subject_.empty()) failure_ += " (its subject: " + subject_ + ")";
    subject_.clear();
}

}  // namespace rl::tls
