// Request source static_url: the one request that the command line describes, over and over.
//
// It is STATIC: each worker's first fill() hands out everything. The copies lie head after head in one arena, so that an engine which
// pipelines can send neighbours as one span. A small body stands behind its head as part of it; a large one is kept once.
#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <stdexcept>
#include <string>

#include "common/request_render.hpp"
#include "ringload/plugin.hpp"

namespace {

constexpr size_t kArenaBytes = 64 * 1024;  // fits the second-level cache of every machine that we know beside what else a worker uses
constexpr size_t kInlineBodyBytes = 4 * 1024;

struct StaticUrl : rl::Source {
    static constexpr rl::Info info{"static_url", RL_PLUGIN_VERSION, "the request given on the command line, repeated", "MIT OR Apache-2.0"};
    static constexpr uint32_t flags = RL_SOURCE_STATIC;

    explicit StaticUrl(const rl::Open<StaticUrl>& open)
        : host(open.host()),
          bytes(rl::plugins::render_head(open.request(), "ringload/" RL_PLUGIN_VERSION)),
          request_flags(rl::plugins::request_flags(open.request())) {
        const std::string_view given = rl::view(open.request().body);
        if (given.size() > std::numeric_limits<uint32_t>::max()) throw std::length_error("a request body is at most 4 GiB - 1");
        if (given.size() <= kInlineBodyBytes) {
            bytes.append(given);
        } else {
            body = given;
        }
    }

    struct Worker;
    const rl_host& host;
    std::string bytes;  // head, and the body if it is small
    std::string body;   // a large body
    uint16_t request_flags;
};

struct StaticUrl::Worker {
    Worker(StaticUrl& from, const rl_worker& worker) : shared(from), size(from.bytes.size()) {
        const size_t room = std::max<size_t>(kArenaBytes / size, 1);
        copies = from.body.empty() ? static_cast<uint32_t>(std::min<size_t>(room, worker.batch_max)) : 1;
        copies = std::max(copies, 1u);
        arena = static_cast<uint8_t*>(shared.host.alloc(shared.host.self, size * copies, 64, worker.index));
        if (arena == nullptr) throw std::bad_alloc();
        for (uint32_t i = 0; i < copies; ++i) std::memcpy(arena + i * size, shared.bytes.data(), size);
    }
    ~Worker() { shared.host.free(shared.host.self, arena); }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    int32_t fill(std::span<rl_request> out) const {
        const size_t n = std::min<size_t>(out.size(), copies);
        for (size_t i = 0; i < n; ++i) {
            rl_request& request = out[i];
            request = rl_request{};
            request.head = arena + i * size;
            request.head_len = static_cast<uint32_t>(size);
            if (!shared.body.empty()) request.body = reinterpret_cast<const uint8_t*>(shared.body.data());
            request.body_len = static_cast<uint32_t>(shared.body.size());
            request.due_ns = RL_DUE_NONE;
            request.flags = shared.request_flags;
        }
        return static_cast<int32_t>(n);
    }

    StaticUrl& shared;
    size_t size;  // of one copy
    uint32_t copies = 0;
    uint8_t* arena = nullptr;  // OWNS: through the host
};

}  // namespace

RL_PLUGIN_EXPORT(StaticUrl)
