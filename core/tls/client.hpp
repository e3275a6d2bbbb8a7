// TLS clients of one worker: the record layer between its connections and their HTTP parsers. Moves octets between buffers, never sockets.
//
// All of a worker's connections share one context and the newest session ticket. A slot holds one connection at a time. What must be
// sent leaves through the emit function while any of the verbs runs; what has arrived is lent by feed() and consumed by the next verb.
// Owned and used by one thread; the library itself must have been prepared by prepare_library() on one thread before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.hpp"
#include "core/tls/settings.hpp"

struct WOLFSSL;
struct WOLFSSL_CTX;
struct WOLFSSL_SESSION;

namespace rl::tls {

// Once per copy of the library and before any other thread uses it: picks the processor's instructions.
void prepare_library();

// Reads every file that the settings name, and says what is wrong with it. The check before traffic.
Result<void> check_settings(const Settings& settings);

// What the report says: "wolfSSL 5.5.4".
std::string library_name();

class Client {
  public:
    enum class Shake : uint8_t { more, done, failed };
    using Emit = void (*)(void* self, uint32_t slot, const char* octets, size_t size);

    Client() = default;
    ~Client();
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;

    // host: as in the URL, for SNI (never an address, RFC 6066 3) and for the certificate.
    Result<void> open(const Settings& settings, const std::string& host, uint32_t slots, Emit emit, void* self);

    // Begins a connection in a slot that is free; its first flight follows from shake(). False: out of memory.
    bool start(uint32_t slot) noexcept;
    void stop(uint32_t slot) noexcept;  // frees the slot; emits nothing

    void feed(uint32_t slot, std::span<const char> octets) noexcept;  // BORROWS octets until they are consumed
    Shake shake(uint32_t slot) noexcept;
    // Plain octets of what was fed: their number, 0 when all is consumed, or -1 when the stream cannot go on.
    int read(uint32_t slot, std::span<char> out) noexcept;
    // Encrypts everything; false when the stream cannot go on.
    bool write(uint32_t slot, std::span<const char> octets) noexcept;

    bool ended(uint32_t slot) const noexcept { return slots_[slot].ended; }  // the peer said that it sends no more
    // Why the last verb failed, in a sentence that names the certificate where it is one. Cold.
    const std::string& failure() const noexcept { return failure_; }

  private:
    struct Slot {
        Client* owner = nullptr;
        WOLFSSL* ssl = nullptr;
        std::span<const char> input;
        bool ended = false;
    };
    static int on_receive(WOLFSSL* ssl, char* buffer, int size, void* slot);
    static int on_send(WOLFSSL* ssl, char* buffer, int size, void* slot);
    static int on_session(WOLFSSL* ssl, WOLFSSL_SESSION* session);
    static int on_verify(int accepted, void* store);
    void describe(int error);
    bool refuse_memory() noexcept;  // false

    WOLFSSL_CTX* context_ = nullptr;      // OWNS
    WOLFSSL_SESSION* session_ = nullptr;  // OWNS: the newest
    std::vector<Slot> slots_;
    Emit emit_ = nullptr;
    void* emit_self_ = nullptr;
    std::string host_, checked_name_;
    bool verify_ = true, send_name_ = true, reuse_ = true, key_share_ = true;
    std::string subject_, failure_;  // of the certificate that was refused
};

}  // namespace rl::tls
