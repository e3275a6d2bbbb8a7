// Shipped sources and pacers, a million times through their hot functions, in a child process that may neither allocate nor make a
// system call: the one springs a trap, the other is killed by the kernel. The traps themselves are tested with functions that sin.
#include <gtest/gtest.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstddef>
#include <cstdlib>

#include "tests/support/alloc_trap.hpp"
#include "tests/unit/plugins/opened_plugin.hpp"

namespace rl::testing {
namespace {

constexpr uint64_t kTimes = 1'000'000;

// From here on the only thing that this process may ask of the kernel is its end.
void bar_system_calls() {
    const std::array<sock_filter, 4> program = {{
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    }};
    sock_fprog filter{static_cast<unsigned short>(program.size()), const_cast<sock_filter*>(program.data())};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) ::_exit(99);
}

// Runs f under both traps and ends the process: 0 if f kept the contract.
template <class F>
[[noreturn]] void confined(F&& f) {
    bar_system_calls();
    alloc_trap_armed = true;
    const bool right = f();
    alloc_trap_armed = false;
    ::_exit(right ? 0 : 1);
}

bool fill_often(const rl_source_ops& ops, void* self) {
    static std::array<rl_request, 64> requests;
    static std::array<uint64_t, 64> cookies;
    for (uint64_t done = 0; done < kTimes;) {
        const int32_t n = ops.fill(self, requests.data(), requests.size());
        if (n <= 0) return false;
        for (size_t i = 0; i < static_cast<size_t>(n); ++i) cookies[i] = requests[i].cookie;
        if (ops.recycle != nullptr) ops.recycle(self, cookies.data(), static_cast<uint32_t>(n));
        done += static_cast<uint64_t>(n);
    }
    return true;
}

bool grant_often(const rl_pacer_ops& ops, void* self) {
    std::array<uint64_t, 64> due{};
    uint64_t next = 0, now = 0;
    for (uint64_t done = 0; done < kTimes; now = next) {
        const int32_t n = ops.grant(self, now, due.data(), due.size(), &next);
        if (n < 0 || next < now) return false;
        done += static_cast<uint64_t>(n);
    }
    return true;
}

TEST(HotContract, StaticUrl) {
    FakeHost host;
    OpenedPlugin<rl_source_ops> plugin(module::Kind::source, "static_url", engine::RunSpec{}, host);
    ASSERT_TRUE(plugin.is_open()) << plugin.failure;
    void* const self = plugin.open_worker(0, 1);
    EXPECT_EXIT(confined([&] { return fill_often(plugin.ops(), self); }), ::testing::ExitedWithCode(0), "");
    plugin.ops().worker_close(self);
}

TEST(HotContract, Constant) {
    FakeHost host;
    engine::RunSpec run;
    run.rate = 123'456.7;
    OpenedPlugin<rl_pacer_ops> plugin(module::Kind::pacer, "constant", run, host);
    ASSERT_TRUE(plugin.is_open()) << plugin.failure;
    void* const self = plugin.open_worker(1, 3);
    EXPECT_EXIT(confined([&] { return grant_often(plugin.ops(), self); }), ::testing::ExitedWithCode(0), "");
    plugin.ops().worker_close(self);
}

int32_t allocating_fill(void*, rl_request* out, uint32_t) {
    static void* volatile kept;  // volatile: or the compiler sees that nobody needs the memory
    kept = std::malloc(24);
    out[0] = rl_request{};
    return kept == nullptr ? 0 : 1;
}
int32_t asking_fill(void*, rl_request* out, uint32_t) {
    out[0] = rl_request{};
    return ::getppid() == 0 ? 1 : 2;
}

TEST(HotContract, TheTrapsSpring) {
    rl_source_ops ops{};
    ops.fill = allocating_fill;
    EXPECT_EXIT(confined([&] { return fill_often(ops, nullptr); }), ::testing::ExitedWithCode(kAllocTrapExit), "");
    ops.fill = asking_fill;
    EXPECT_EXIT(confined([&] { return fill_often(ops, nullptr); }), ::testing::KilledBySignal(SIGSYS), "");
}

}  // namespace
}  // namespace rl::testing
