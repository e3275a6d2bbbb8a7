// The list of contenders: each backend of this build, then what io_uring does with one switch changed, then features it does not use.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "backends/epoll/backend.hpp"
#include "bench/backend/comparison.hpp"
#include "bench/backend/seam_contender.hpp"
#ifdef RL_BENCH_IO_URING
#include "backends/io_uring/backend.hpp"
#include "backends/io_uring/options.hpp"
#include "bench/backend/bare_contender.hpp"
#endif
#ifdef RL_BENCH_KQUEUE
#include "backends/kqueue/backend.hpp"
#endif

namespace rl::bench {
namespace {

constexpr Waiting kSleep{.spin_ns = 0}, kSpin{.spin_ns = UINT64_MAX};

class List {
  public:
    List(Shape shape, const std::vector<std::string>& only) : shape_(shape), only_(only) {}

    bool wanted(const std::string& name) const {
        return only_.empty() || all.empty() || std::find(only_.begin(), only_.end(), name) != only_.end();
    }
    template <class B>
    void add(const std::string& name, module::BoundOptions options = {}, Waiting waiting = {}) {
        if (wanted(name)) all.push_back(std::make_unique<SeamContender<B>>(name, shape_, waiting, std::move(options)));
    }
    void add(std::unique_ptr<Contender> contender) {
        if (wanted(contender->name())) all.push_back(std::move(contender));
    }
    Shape shape() const { return shape_; }
    // Names that were asked for and are further options of io_uring: "io_uring buffer_size=64KiB buffer_count=8".
    std::vector<std::string> others() const {
        std::vector<std::string> names;
        for (const std::string& name : only_) {
            const bool there = std::any_of(all.begin(), all.end(), [&name](const auto& one) { return one->name() == name; });
            if (!there && name.starts_with("io_uring ")) names.push_back(name);
        }
        return names;
    }
    Waiting batch() const { return {.spin_ns = 0, .events = std::clamp(shape_.connections / 3, 1u, 64u), .window_ns = 500'000}; }

    std::vector<std::unique_ptr<Contender>> all;

  private:
    Shape shape_;
    const std::vector<std::string>& only_;
};

#ifdef RL_BENCH_IO_URING
// "taskrun=coop buffers=fixed": options as on the command line.
module::BoundOptions with(std::string_view words = {}) {
    std::vector<engine::OptionValue> given;
    while (!words.empty()) {
        const std::string_view word = words.substr(0, words.find(' '));
        words.remove_prefix(std::min(word.size() + 1, words.size()));
        const size_t equals = std::min(word.find('='), word.size());
        given.push_back({"io_uring", std::string(word.substr(0, equals)), std::string(word.substr(std::min(equals + 1, word.size())))});
    }
    auto bound = module::bind_options({.owner = "io_uring", .first = uring::kOptionTable, .count = uring::kOptionCount}, given);
    if (bound) return std::move(*bound);
    std::fprintf(stderr, "compare_backends: %s\n", bound.error().text.c_str());
    std::exit(2);
}

void add_switches(List& list) {
    using uring::IoUringBackend;
    list.add<IoUringBackend>("io_uring", with());
    // No more than sixteen rings of one thread can have their descriptors registered, so this list cannot grow much.
    constexpr std::string_view kSwitches[] = {
        "taskrun=coop",          "taskrun=none",     "receive=single", "buffers=fixed", "skip_success=false",
        "registered_ring=false", "poll_first=false", "kernel=5.15",    "kernel=6.0",
    };
    for (const std::string_view words : kSwitches) list.add<IoUringBackend>("io_uring " + std::string(words), with(words));
    for (const std::string& name : list.others()) list.add<IoUringBackend>(name, with(std::string_view(name).substr(9)));
    list.add<IoUringBackend>("io_uring, batched waits", with(), list.batch());
    list.add<IoUringBackend>("io_uring, sleeping", with(), kSleep);
    list.add<IoUringBackend>("io_uring, spinning", with(), kSpin);
    list.add(make_bare("bare io_uring", list.shape(), {}, {}));
    list.add(make_bare("bare io_uring, fixed files", list.shape(), {}, {.fixed_files = true}));
    list.add(make_bare("bare io_uring, zero-copy sends", list.shape(), {}, {.zero_copy = true}));
    list.add(make_bare("bare io_uring, receive bundles", list.shape(), {}, {.receive_bundles = true}));
    list.add(make_bare("bare io_uring, send bundles", list.shape(), {}, {.send_bundles = true}));
}
#else
void add_switches(List&) {}
#endif

}  // namespace

std::vector<std::unique_ptr<Contender>> contenders(Shape shape, const std::vector<std::string>& only) {
    List list(shape, only);
    list.add<epoll::EpollBackend>("epoll");
    list.add<epoll::EpollBackend>("epoll, batched waits", {}, list.batch());
    list.add<epoll::EpollBackend>("epoll, sleeping", {}, kSleep);
#ifdef RL_BENCH_KQUEUE
    list.add<kqueue::KqueueBackend>("kqueue");
#endif
    add_switches(list);
    return std::move(list.all);
}

}  // namespace rl::bench
