// A source's short life: each worker's batches are looked at request by request, answered and given back. One thread; no traffic.
#include <algorithm>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/module/plugin_instance.hpp"
#include "tools/rl_plugin_check/life_cycle.hpp"

namespace rl::plugin_check {
namespace {

constexpr uint32_t kBatch = 64, kGuard = 16, kBatches = 32;
constexpr unsigned char kPattern = 0xa5;
constexpr uint32_t kFlagsKnown = RL_REQUEST_HEAD | RL_REQUEST_CLOSE | RL_REQUEST_IDEMPOTENT | RL_REQUEST_CONNECT;

std::string number(int64_t n) { return std::to_string(n); }

// RFC 9112 3: "METHOD SP TARGET SP HTTP/1.1".
bool is_request_line(std::string_view line) {
    constexpr std::string_view kVersion = " HTTP/1.1", kMarks = "!#$%&'*+-.^_`|~";
    const size_t blank = line.find(' ');
    if (blank == 0 || blank == std::string_view::npos || !line.ends_with(kVersion) || line.size() <= blank + 1 + kVersion.size())
        return false;
    const std::string_view method = line.substr(0, blank);
    const std::string_view target = line.substr(blank + 1, line.size() - blank - 1 - kVersion.size());
    const auto in_method = [&](unsigned char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               (c != 0 && kMarks.find(static_cast<char>(c)) != std::string_view::npos);
    };
    return std::all_of(method.begin(), method.end(), in_method) &&
           std::all_of(target.begin(), target.end(), [](unsigned char c) { return c > 0x20 && c != 0x7f; });
}

// The array that fill() writes to, with a border behind it that must stay as it is.
class Batch {
  public:
    Batch() : requests_(kBatch + kGuard) {}
    void prepare() { std::memset(requests_.data(), kPattern, requests_.size() * sizeof(rl_request)); }
    bool border_touched(uint32_t max) const {
        const auto* const first = reinterpret_cast<const unsigned char*>(requests_.data() + max);
        const auto* const last = reinterpret_cast<const unsigned char*>(requests_.data() + requests_.size());
        return std::any_of(first, last, [](unsigned char c) { return c != kPattern; });
    }
    rl_request* data() { return requests_.data(); }
    const rl_request& at(uint32_t index) const { return requests_[index]; }

  private:
    std::vector<rl_request> requests_;
};

// One worker's life. Takes what fill() gives, looks at it, answers it, gives it back.
class Worker {
  public:
    Worker(const rl_source_ops& ops, Progress& progress) : ops_(ops), progress_(progress) {}

    Result<void> open(void* shared, uint32_t index, uint32_t count) {
        rl_worker worker{};
        worker.size = sizeof worker;
        worker.index = index;
        worker.count = count;
        worker.batch_max = kBatch;
        worker.seed = 1000 + index;
        rl_error error = module::empty_error();
        int code = 0;
        if (!contained(progress_, "worker_open()", [&] { code = ops_.worker_open(shared, &worker, &self_, &error); })) {
            return escaped("worker_open()");
        }
        if (code != 0) return broken("worker_open() failed: " + module::error_text(error));
        return {};
    }

    Result<void> run() {
        const bool once = (ops_.flags & RL_SOURCE_STATIC) != 0;
        for (uint32_t round = 0; round < (once ? 1 : kBatches) && !ended_; ++round) {
            RL_TRY(turn(round % 2 == 0 ? kBatch : 1));
        }
        if (once && requests_ == 0) return broken("fill() gave nothing, and the first batch of a RL_SOURCE_STATIC source is all there is");
        return {};
    }

    Result<void> close() {
        return contained(progress_, "worker_close()", [&] { ops_.worker_close(self_); }) ? Result<void>() : escaped("worker_close()");
    }
    uint64_t requests() const { return requests_; }

  private:
    Result<void> turn(uint32_t max) {
        batch_.prepare();
        int32_t n = 0;
        if (!contained(progress_, "fill()", [&] { n = ops_.fill(self_, batch_.data(), max); })) return escaped("fill()");
        if (n > static_cast<int32_t>(max))
            return broken("fill() was asked for at most " + number(max) + " requests and returned " + number(n));
        if (n == RL_FAIL) return broken("fill() returned RL_FAIL");
        if (n < 0 && n != RL_END) return broken("fill() returned " + number(n) + ", which is neither a count nor RL_END nor RL_FAIL");
        if (batch_.border_touched(n < 0 ? 0 : static_cast<uint32_t>(n))) return broken("fill() wrote past the requests that it returned");
        if (n == RL_END) {
            ended_ = true;
            const bool finite = (ops_.flags & RL_SOURCE_FINITE) != 0;
            return finite ? Result<void>() : broken("fill() returned RL_END and the source does not set RL_SOURCE_FINITE");
        }
        requests_ += static_cast<uint64_t>(n);
        for (uint32_t i = 0; i < static_cast<uint32_t>(n); ++i) RL_TRY(look_at(batch_.at(i)));
        return give_back(static_cast<uint32_t>(n));
    }

    Result<void> look_at(const rl_request& request) {
        if (request.head == nullptr || request.head_len == 0) return broken("fill() gave a request without a head");
        const std::string_view head(reinterpret_cast<const char*>(request.head), request.head_len);
        if (head.find("\r\n\r\n") == std::string_view::npos) return broken("fill() gave a head without the empty line at its end");
        if (!is_request_line(head.substr(0, head.find("\r\n")))) {
            return broken("fill() gave a head whose first line is not METHOD SP TARGET SP HTTP/1.1");
        }
        if (request.body == nullptr && request.body_len != 0) return broken("fill() gave a body length without a body");
        if ((request.flags & ~kFlagsKnown) != 0) return broken("fill() set request flags that are not in rl_request_flags");
        if (request.target != 0 || request.reserved[0] != 0 || request.reserved[1] != 0) {
            return broken("fill() left a reserved field of a request that is not 0");
        }
        if ((ops_.flags & RL_SOURCE_TIMED) == 0) {
            return request.due_ns == RL_DUE_NONE ? Result<void>() : broken("fill() set due_ns and the source does not set RL_SOURCE_TIMED");
        }
        if (request.due_ns < due_ns_) return broken("fill() gave a due_ns that is missing, negative or earlier than the one before");
        due_ns_ = request.due_ns;
        return {};
    }

    Result<void> give_back(uint32_t n) {
        if ((ops_.flags & RL_SOURCE_WANTS_RESPONSES) != 0) {
            std::vector<rl_response> answers(n);
            for (uint32_t i = 0; i < n; ++i) {
                answers[i].cookie = batch_.at(i).cookie;
                answers[i].klass = batch_.at(i).klass;
                answers[i].status = 200;
                answers[i].service_ns = 1'000'000;
            }
            if (!contained(progress_, "responses()", [&] { ops_.responses(self_, answers.data(), n); })) return escaped("responses()");
        }
        if (ops_.recycle == nullptr || (ops_.flags & RL_SOURCE_STATIC) != 0) return {};
        std::vector<uint64_t> cookies(n);
        for (uint32_t i = 0; i < n; ++i) cookies[i] = batch_.at(i).cookie;
        if (!contained(progress_, "recycle()", [&] { ops_.recycle(self_, cookies.data(), n); })) return escaped("recycle()");
        return {};
    }

    const rl_source_ops& ops_;
    Progress& progress_;
    Batch batch_;
    void* self_ = nullptr;
    bool ended_ = false;
    int64_t due_ns_ = 0;
    uint64_t requests_ = 0;
};

}  // namespace

Result<std::string> live_as_source(const module::LoadedPlugin& plugin, const module::BoundOptions& options, const rl_host& host,
                                   Progress& progress) {
    const engine::RunSpec run = scripted_run();
    const module::OpenInfo info(run, &host, options);
    progress.enter("open()");
    auto source = module::SourceInstance::open(plugin, info.get());
    if (!source) return std::move(source).error();
    uint64_t requests = 0;
    for (uint32_t index = 0; index < run.workers; ++index) {
        Worker worker(source->ops(), progress);
        RL_TRY(worker.open(source->shared(), index, run.workers));
        RL_TRY(worker.run());
        RL_TRY(worker.close());
        requests += worker.requests();
    }
    progress.enter("close()");
    return std::to_string(requests) + " requests by " + std::to_string(run.workers) + " workers";
}

}  // namespace rl::plugin_check
