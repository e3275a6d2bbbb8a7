// TLS between the backend and the parser of one worker: plain octets in, records out, in chunks that stay until the kernel has them.
//
// Requests are encrypted at once where their connection has room, so that their octets are free again at once; a long body follows
// piece by piece as the kernel takes the records. All memory is from the worker's arena, but for what the library itself allocates.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "core/base/arena.hpp"
#include "core/engine/backend_concept.hpp"
#include "core/engine/run_spec.hpp"
#include "core/tls/client.hpp"

namespace rl::engine {

class TlsStream {
  public:
    static constexpr bool kSecure = true;
    static constexpr bool kMaySkip = false;
    static constexpr uint32_t kSendsMost = 4;  // unconfirmed on one connection: two of requests, and as many of the protocol itself
    static std::string name() { return tls::library_name(); }
    using Shake = tls::Client::Shake;

    Result<void> open(const RunSpec& spec, Arena& arena, uint32_t connections) {
        depth_ = spec.pipeline;
        slots_ = arena.array<Slot>(connections);
        pending_ = arena.array<SendRef>(size_t{connections} * depth_);
        const size_t chunks = size_t{connections} * kSendsMost;
        memory_ = static_cast<char*>(arena.allocate(chunks * kChunk, 64));
        chunks_ = arena.array<Chunk>(chunks);
        for (uint32_t i = 0; i < chunks; ++i) chunks_[i].next = i + 1 < chunks ? i + 1 : kNone;
        free_ = 0;
        in_ = {static_cast<char*>(arena.allocate(kPlain)), kPlain};
        out_ = {static_cast<char*>(arena.allocate(kPiece)), kPiece};
        return client_.open(
            spec.tls, spec.host, connections,
            [](void* self, uint32_t slot, const char* octets, size_t size) { static_cast<TlsStream*>(self)->emit(slot, octets, size); },
            this);
    }

    bool start(uint32_t slot) noexcept { return client_.start(slot); }
    Shake shake(uint32_t slot) noexcept { return client_.shake(slot); }
    void feed(uint32_t slot, std::span<const char> octets) noexcept { client_.feed(slot, octets); }
    bool ended(uint32_t slot) const noexcept { return client_.ended(slot); }
    const std::string& failure() const noexcept { return client_.failure(); }

    // Hands what was fed to parse(plain octets) -> whether to go on. False: the stream cannot go on.
    template <class Parse>
    bool receive(uint32_t slot, Parse&& parse) noexcept {
        for (;;) {
            const int n = client_.read(slot, in_);
            if (n < 0 || slots_[slot].overrun) return false;
            if (n == 0 || !parse(std::span<const char>(in_.data(), static_cast<size_t>(n)))) return true;
        }
    }

    // Takes a request. Returns whether its octets are free again; if not, sent() says so later. flush() is due.
    bool write(uint32_t slot, const SendRef& ref) noexcept {
        Slot& s = slots_[slot];
        pending_[size_t{slot} * depth_ + (s.pending_head + s.pending) % depth_] = ref;
        ++s.pending;
        return encrypt(slot) != 0;
    }
    // The kernel has taken `refs` chunks. Returns how many requests became free. flush() is due.
    uint32_t sent(uint32_t slot, uint32_t refs) noexcept {
        Slot& s = slots_[slot];
        for (; refs != 0; --refs) release_first(s);
        return encrypt(slot);
    }
    // Hands all records to send(SendRef).
    template <class Send>
    void flush(uint32_t slot, Send&& send) noexcept {
        Slot& s = slots_[slot];
        for (; s.unsent != kNone; s.unsent = chunks_[s.unsent].next) {
            send(SendRef{.head = reinterpret_cast<const uint8_t*>(octets(s.unsent)), .head_len = chunks_[s.unsent].size});
        }
        s.sealed = true;
    }
    // The connection is closed and the kernel holds nothing of it.
    void stop(uint32_t slot) noexcept {
        Slot& s = slots_[slot];
        while (s.first != kNone) release_first(s);
        s = Slot();
        client_.stop(slot);
    }

  private:
    static constexpr uint32_t kNone = UINT32_MAX;
    static constexpr size_t kPiece = 16 * 1024;  // plain octets of one record, RFC 8446 5.1
    static constexpr size_t kOverhead = 512;     // what a record adds, generously
    static constexpr size_t kChunk = kPiece + 2 * kOverhead;
    static constexpr size_t kPlain = 32 * 1024;
    static constexpr uint32_t kChunksOfRequests = 2;

    struct Chunk {
        uint32_t next = kNone;
        uint32_t size = 0;
    };
    struct Slot {
        uint32_t first = kNone, unsent = kNone, last = kNone;  // chunks: oldest the kernel has, oldest it has not, newest
        uint16_t chunks = 0;
        uint16_t pending = 0, pending_head = 0;  // requests that are not encrypted whole
        bool sealed = true;                      // nothing may be appended to the newest chunk
        bool overrun = false;                    // the peer asks for answers of the protocol and takes none
        uint64_t done = 0;                       // octets of the oldest of them that are
    };

    char* octets(uint32_t chunk) const noexcept { return memory_ + size_t{chunk} * kChunk; }
    size_t room(const Slot& s) const noexcept { return s.sealed || s.last == kNone ? 0 : kChunk - chunks_[s.last].size; }

    void emit(uint32_t slot, const char* from, size_t size) noexcept {
        Slot& s = slots_[slot];
        while (size != 0) {
            if (room(s) == 0) {
                if (s.chunks == kSendsMost) {
                    s.overrun = true;
                    return;
                }
                append_chunk(s);
            }
            const size_t n = std::min(size, room(s));
            std::memcpy(octets(s.last) + chunks_[s.last].size, from, n);
            chunks_[s.last].size += static_cast<uint32_t>(n);
            from += n;
            size -= n;
        }
    }
    void append_chunk(Slot& s) noexcept {
        const uint32_t chunk = free_;
        free_ = chunks_[chunk].next;
        chunks_[chunk] = Chunk();
        if (s.last != kNone) chunks_[s.last].next = chunk;
        if (s.first == kNone) s.first = chunk;
        if (s.unsent == kNone) s.unsent = chunk;
        s.last = chunk;
        s.sealed = false;
        ++s.chunks;
    }
    void release_first(Slot& s) noexcept {
        const uint32_t chunk = s.first;
        if (chunk == kNone) return;
        s.first = chunks_[chunk].next;
        if (s.last == chunk) s.last = kNone;
        chunks_[chunk].next = free_;
        free_ = chunk;
        --s.chunks;
    }

    // As far as there is room for records. Returns how many requests are encrypted whole.
    uint32_t encrypt(uint32_t slot) noexcept {
        Slot& s = slots_[slot];
        uint32_t whole = 0;
        while (s.pending != 0) {
            const SendRef& ref = pending_[size_t{slot} * depth_ + s.pending_head];
            const std::span<const char> piece = next_piece(ref, s.done);
            if (s.chunks >= kChunksOfRequests && room(s) < piece.size() + kOverhead) break;
            if (!client_.write(slot, piece)) break;  // the connection is broken; it ends with its reading side
            s.done += piece.size();
            if (s.done < uint64_t{ref.head_len} + ref.body_len) continue;
            s.done = 0;
            s.pending_head = static_cast<uint16_t>((s.pending_head + 1u) % depth_);
            --s.pending;
            ++whole;
        }
        return whole;
    }
    // At most a record of this request, from `done` on. A head and the beginning of its body share one.
    std::span<const char> next_piece(const SendRef& ref, uint64_t done) noexcept {
        const auto* const head = reinterpret_cast<const char*>(ref.head);
        const auto* const body = reinterpret_cast<const char*>(ref.body);
        if (done >= ref.head_len) {
            const uint64_t at = done - ref.head_len;
            return {body + at, static_cast<size_t>(std::min<uint64_t>(ref.body_len - at, kPiece))};
        }
        const size_t of_head = static_cast<size_t>(std::min<uint64_t>(ref.head_len - done, kPiece));
        const size_t of_body = std::min<size_t>(ref.body_len, kPiece - of_head);
        if (of_body == 0) return {head + done, of_head};
        std::memcpy(out_.data(), head + done, of_head);
        std::memcpy(out_.data() + of_head, body, of_body);
        return {out_.data(), of_head + of_body};
    }

    tls::Client client_;
    std::span<Slot> slots_;
    std::span<SendRef> pending_;
    std::span<Chunk> chunks_;
    std::span<char> in_, out_;
    char* memory_ = nullptr;
    uint32_t free_ = kNone;
    uint32_t depth_ = 1;
};

}  // namespace rl::engine
