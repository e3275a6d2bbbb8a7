// Start, orders from outside and end. The main thread only waits for orders.
#include "tools/serve/serve.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <thread>
#include <vector>

#include "tools/serve/listener.hpp"
#include "tools/serve/options.hpp"
#include "tools/serve/process.hpp"
#include "tools/serve/worker.hpp"

namespace rl::serve {
namespace {

constexpr int kExitUsage = 2;

void say(std::FILE* stream, const std::string& text) {
    std::fputs(text.c_str(), stream);
    std::fflush(stream);
}

// The workers and their threads. The destructor stops and joins them, however far the start got.
class Crew {
  public:
    explicit Crew(Shared& shared) : shared_(shared) {}
    Crew(const Crew&) = delete;
    Crew& operator=(const Crew&) = delete;
    ~Crew() {
        shared_.stop.set(true);
        wake();
        for (std::thread& thread : threads_) thread.join();
    }

    // Empty on success, else why not.
    std::string start(const std::vector<int>& sockets) {
        const Options& options = shared_.options;
        for (unsigned i = 0; i < sockets.size(); ++i) {
            workers_.push_back(std::make_unique<Worker>(shared_, i, sockets[i]));
            if (const int error = workers_.back()->setup_error(); error != 0) {
                return fmt::format("cannot set up a worker: {}; close other programs or raise the limit of open files",
                                   socket_error_text(error));
            }
        }
        for (unsigned i = 0; i < workers_.size(); ++i) {
            threads_.emplace_back([worker = workers_[i].get()] {
                sharpen_timers();
                worker->run();
            });
            if (options.cpus.empty()) continue;
            const int cpu = options.cpus[i % options.cpus.size()];
            if (const std::string why = pin(threads_.back(), cpu); !why.empty()) {
                return fmt::format("--cpu {}: cannot pin a worker there: {}; choose a CPU that this process may use", cpu, why);
            }
        }
        return "";
    }

    void wake() {
        for (const auto& worker : workers_) worker->wake();
    }

  private:
    Shared& shared_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<std::thread> threads_;
};

// Takes orders until one of them, or --for, ends the run.
void wait_for_end(Shared& shared, Crew& crew, int64_t start_ns) {
    const Options& options = shared.options;
    const int64_t end_ns = options.run_for_ns == 0 ? INT64_MAX : start_ns + options.run_for_ns;
    int64_t thaw_ns = INT64_MAX;
    const auto set_frozen = [&](bool frozen) {
        thaw_ns = frozen && options.freeze_for_ns != 0 ? clock_ns() + options.freeze_for_ns : INT64_MAX;
        shared.frozen.set(frozen);
        crew.wake();
    };
    if (options.frozen) set_frozen(true);
    while (true) {
        const int64_t now_ns = clock_ns();
        if (now_ns >= end_ns) return;
        if (now_ns >= thaw_ns) set_frozen(false);
        const int64_t due_ns = std::min({end_ns, thaw_ns, now_ns + int64_t{3600} * 1'000'000'000});
        switch (next_order(due_ns - now_ns)) {
            case Order::end:
                return;
            case Order::freeze:
                set_frozen(true);
                break;
            case Order::thaw:
                set_frozen(false);
                break;
            case Order::none:
                break;
        }
    }
}

int run(const Options& options) {
    prepare_process();
    const Listeners listeners = listen_on(options);
    if (!listeners.why.empty()) {
        say(stderr, "ringload serve: " + listeners.why + "\n");
        return kExitUsage;
    }
    Shared shared(options);
    shared.frozen.set(options.frozen);
    const int64_t start_ns = clock_ns();
    {
        Crew crew(shared);
        if (const std::string why = crew.start(listeners.sockets); !why.empty()) {
            say(stderr, "ringload serve: " + why + "\n");
            return kExitUsage;
        }
        say(stdout, "listening on " + listeners.url + "\n");
        wait_for_end(shared, crew, start_ns);
    }
    const double seconds = static_cast<double>(clock_ns() - start_ns) / 1e9;
    say(stderr, fmt::format("ringload serve: {} in {:.1f} s\n", shared.board.summary(), seconds));
    return 0;
}

}  // namespace

int serve_main(int argc, char** argv) {
    const Reading reading = read_options(argc, argv);
    switch (reading.asked) {
        case Asked::run:
            return run(reading.options);
        case Asked::help:
            say(stdout, reading.text);
            return 0;
        case Asked::refuse:
            say(stderr, reading.text + "\n");
            return kExitUsage;
    }
    return kExitUsage;
}

}  // namespace rl::serve
