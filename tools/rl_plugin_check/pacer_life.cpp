// A pacer's short life: time goes on in uneven steps, each worker's grants are counted and compared with what it says it owned.
#include <array>
#include <limits>

#include "core/module/plugin_instance.hpp"
#include "tools/rl_plugin_check/life_cycle.hpp"

namespace rl::plugin_check {
namespace {

constexpr uint32_t kBatch = 64, kGuard = 16;
constexpr uint64_t kUntouched = 0xa5a5a5a5a5a5a5a5;
constexpr uint64_t kStepNs = 7'300'000;  // not a divisor of any round rate's gap
constexpr uint32_t kCallsPerStepMax = 1'000'000;

class Worker {
  public:
    Worker(const rl_pacer_ops& ops, Progress& progress) : ops_(ops), progress_(progress) {}

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
        return code == 0 ? Result<void>() : broken("worker_open() failed: " + module::error_text(error));
    }

    // Time goes on in steps; at each step the pacer is asked until it has nothing more that is due.
    Result<void> run(uint64_t end_ns) {
        for (uint64_t now = 0; now < end_ns; now += kStepNs) RL_TRY(ask_until_dry(now));
        RL_TRY(ask_until_dry(end_ns));
        uint64_t scheduled = 0;
        if (!contained(progress_, "scheduled()", [&] { scheduled = ops_.scheduled(self_, end_ns); })) return escaped("scheduled()");
        const uint64_t before_end = granted_ - at_end_;
        if (scheduled == before_end) return {};
        return broken("scheduled() says " + std::to_string(scheduled) + " slots before the end and grant() handed out " +
                      std::to_string(before_end));
    }

    Result<void> close() {
        return contained(progress_, "worker_close()", [&] { ops_.worker_close(self_); }) ? Result<void>() : escaped("worker_close()");
    }
    uint64_t granted() const { return granted_; }

  private:
    Result<void> ask_until_dry(uint64_t now) {
        at_end_ = 0;
        for (uint32_t call = 0; call < kCallsPerStepMax; ++call) {
            due_.fill(kUntouched);
            uint64_t next = kUntouched;
            int32_t n = 0;
            if (!contained(progress_, "grant()", [&] { n = ops_.grant(self_, now, due_.data(), kBatch, &next); }))
                return escaped("grant()");
            RL_TRY(judge(now, n, next));
            if (n == 0) return {};
        }
        return broken("grant() goes on handing out slots for one instant without end");
    }

    Result<void> judge(uint64_t now, int32_t n, uint64_t next) {
        if (n > static_cast<int32_t>(kBatch)) {
            return broken("grant() was asked for at most " + std::to_string(kBatch) + " slots and returned " + std::to_string(n));
        }
        if (n < 0) return broken("grant() returned " + std::to_string(n));
        for (size_t i = static_cast<size_t>(n); i < due_.size(); ++i) {
            if (due_[i] != kUntouched) return broken("grant() wrote past the slots that it returned");
        }
        for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
            if (due_[i] > now) return broken("grant() handed out a slot that is not due yet");
            if (due_[i] < last_) return broken("grant() handed out a slot that is earlier than the one before");
            last_ = due_[i];
            at_end_ += due_[i] == now ? 1 : 0;
        }
        granted_ += static_cast<uint64_t>(n);
        if (next == kUntouched) return broken("grant() did not set *next_ns");
        if (n == 0 && next <= now) return broken("grant() handed out nothing and asks to be called again at once");
        return {};
    }

    const rl_pacer_ops& ops_;
    Progress& progress_;
    std::array<uint64_t, kBatch + kGuard> due_{};
    void* self_ = nullptr;
    uint64_t last_ = 0, granted_ = 0;
    uint64_t at_end_ = 0;  // slots due exactly now: those at the end of the run do not count
};

}  // namespace

Result<std::string> live_as_pacer(const module::LoadedPlugin& plugin, const module::BoundOptions& options, const rl_host& host,
                                  Progress& progress) {
    const engine::RunSpec run = scripted_run();
    const module::OpenInfo info(run, &host, options);
    progress.enter("open()");
    auto pacer = module::PacerInstance::open(plugin, info.get());
    if (!pacer) return std::move(pacer).error();
    const bool passive = pacer->ops().flags != 0;
    uint64_t granted = 0;
    for (uint32_t index = 0; index < run.workers; ++index) {
        Worker worker(pacer->ops(), progress);
        RL_TRY(worker.open(pacer->shared(), index, run.workers));
        if (!passive) RL_TRY(worker.run(static_cast<uint64_t>(run.duration)));
        RL_TRY(worker.close());
        granted += worker.granted();
    }
    progress.enter("close()");
    if (passive) return std::string("its flag says everything; grant() is not called");
    return std::to_string(granted) + " slots of " + std::to_string(run.workers) + " workers in 2 s at 1000 per second";
}

}  // namespace rl::plugin_check
