// Where io_uring is forbidden, as container run-times do by a seccomp filter, opening the backend is refused in words, and at once.
//
// A filter cannot be taken off again, so each case runs in a child process of its own.
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include "backends/io_uring/backend.hpp"

namespace rl::uring {
namespace {

constexpr int kRefused = 40, kOpened = 41, kNoFilter = 42;

// Lets the system call `number` fail with `error` from here on; all others pass.
bool forbid(long number, int error) {
    sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<uint32_t>(number), 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<uint32_t>(error)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const sock_fprog filter{sizeof program / sizeof program[0], program};
    return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) == 0;
}

// In the child: says on stderr how opening went, and leaves.
[[noreturn]] void open_without(long number, int error) {
    if (!forbid(number, error)) std::exit(kNoFilter);
    IoUringBackend backend;
    const auto opened = backend.open(nullptr, {.connections_max = 4});
    if (opened) std::exit(kOpened);
    std::fprintf(stderr, "%s\n", opened.error().text.c_str());
    std::exit(kRefused);
}

class Refusal : public ::testing::Test {
  protected:
    void SetUp() override {
        ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
        IoUringBackend backend;
        if (const auto opened = backend.open(nullptr, {.connections_max = 4}); !opened) GTEST_SKIP() << opened.error().text;
    }
};

TEST_F(Refusal, SetUpForbidden) {
    EXPECT_EXIT(open_without(SYS_io_uring_setup, EPERM), ::testing::ExitedWithCode(kRefused), "seccomp.*--backend epoll");
}
TEST_F(Refusal, KernelWithoutIt) {
    EXPECT_EXIT(open_without(SYS_io_uring_setup, ENOSYS), ::testing::ExitedWithCode(kRefused), "kernel has no io_uring.*--backend epoll");
}
TEST_F(Refusal, OutOfLockedMemory) {
    EXPECT_EXIT(open_without(SYS_io_uring_setup, ENOMEM), ::testing::ExitedWithCode(kRefused), "ulimit -l.*--backend epoll");
}
TEST_F(Refusal, RegisteringForbidden) {
    EXPECT_EXIT(open_without(SYS_io_uring_register, EPERM), ::testing::ExitedWithCode(kRefused), "seccomp.*--backend epoll");
}
TEST_F(Refusal, EnteringForbidden) {
    EXPECT_EXIT(open_without(SYS_io_uring_enter, EPERM), ::testing::ExitedWithCode(kRefused), "seccomp.*--backend epoll");
}

}  // namespace
}  // namespace rl::uring
