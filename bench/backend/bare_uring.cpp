// The floor of a completion loop: one multishot receive for each connection on a shared ring of buffers, sends that complete silently,
// and one system call for everything that a turn submits and waits for.
#include <liburing.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

#include "bench/backend/bare_common.hpp"

namespace rl::bench {
namespace {

constexpr uint32_t kEntries = 256;
constexpr uint16_t kGroup = 0;
// KERNEL: since 6.12 - a buffer of the ring is consumed bit by bit instead of being handed out whole. Older headers lack the names.
constexpr uint16_t kBufRingIncremental = 2;
constexpr uint32_t kCqeBufferMore = 1u << 4;
constexpr uint64_t kSendTag = uint64_t{1} << 63;

class UringLoop {
  public:
    UringLoop(const BareOptions& options, const Requests& requests, const std::vector<int>& sockets, AnswerCount& count)
        : options_(options), requests_(requests), sockets_(sockets), count_(count) {
        io_uring_params params{};
        // KERNEL: since 6.1 - completions are worked off only when this thread asks for them, so nothing interrupts it.
        params.flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
        params.cq_entries = 32768;
        check(io_uring_queue_init_params(kEntries, &ring_, &params), "cannot set up a ring");
        check(io_uring_register_ring_fd(&ring_), "cannot register the ring");
        check(io_uring_register_files(&ring_, sockets_.data(), static_cast<unsigned>(sockets_.size())), "cannot register the sockets");
        open_buffers();
    }
    ~UringLoop() {
        io_uring_queue_exit(&ring_);
        munmap(buffer_ring_, buffer_count_ * sizeof(io_uring_buf));
        munmap(pool_, size_t{buffer_count_} * buffer_size_);
    }
    UringLoop(const UringLoop&) = delete;
    UringLoop& operator=(const UringLoop&) = delete;

    void start() {
        for (uint32_t slot = 0; slot < sockets_.size(); ++slot) {
            arm(slot);
            ask(slot, options_.pipeline);
        }
    }

    // Submits, waits without sleeping for spin_us, then sleeping, and serves what came. Completions appear only when the kernel is
    // entered for them, so the spin enters as well.
    void turn() {
        io_uring_submit_and_get_events(&ring_);
        for (const uint64_t limit = now_ns() + options_.spin_us * 1000; io_uring_cq_ready(&ring_) == 0 && now_ns() < limit;) {
            io_uring_get_events(&ring_);
        }
        if (io_uring_cq_ready(&ring_) == 0) {
            __kernel_timespec patience{.tv_sec = 0, .tv_nsec = kSleepMs * 1'000'000};
            io_uring_cqe* first = nullptr;
            const int result = io_uring_submit_and_wait_timeout(&ring_, &first, 1, &patience, nullptr);
            if (result < 0 && result != -ETIME && result != -EINTR) give_up("cannot wait for completions", -result);
        }
        unsigned head = 0, seen = 0;
        io_uring_cqe* cqe = nullptr;
        io_uring_for_each_cqe(&ring_, head, cqe) {
            serve(*cqe);
            ++seen;
        }
        io_uring_cq_advance(&ring_, seen);
        publish();
    }

  private:
    static void check(int result, const char* what) {
        if (result < 0) give_up(what, -result);
    }
    static void* map(size_t octets) {
        void* memory = mmap(nullptr, octets, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) give_up("cannot map memory", errno);
        return memory;
    }

    // Prefers few large buffers that are used up bit by bit; where the kernel has no such thing, many small ones.
    void open_buffers() {
        if (!try_buffers(64, 65536, kBufRingIncremental)) check(try_buffers(2048, 4096, 0) ? 0 : -EINVAL, "cannot register buffers");
        pool_ = static_cast<char*>(map(size_t{buffer_count_} * buffer_size_));
        for (uint32_t id = 0; id < buffer_count_; ++id) give_back(static_cast<uint16_t>(id));
        publish();
    }
    bool try_buffers(uint32_t count, uint32_t size, uint16_t flags) {
        void* memory = map(count * sizeof(io_uring_buf));
        io_uring_buf_reg request{};
        request.ring_addr = reinterpret_cast<uint64_t>(memory);
        request.ring_entries = count;
        request.bgid = kGroup;
        request.pad = flags;  // where newer headers have the flags
        if (io_uring_register_buf_ring(&ring_, &request, 0) != 0) {
            munmap(memory, count * sizeof(io_uring_buf));
            return false;
        }
        // The header's structure puts its array elsewhere in C++ than in C; the entries begin at the ring's address, and the tail
        // lies in the last two octets of the first one.
        buffer_ring_ = static_cast<io_uring_buf*>(memory);
        buffer_count_ = count;
        buffer_size_ = size;
        return true;
    }
    void give_back(uint16_t id) {
        io_uring_buf& entry = buffer_ring_[buffer_tail_ & (buffer_count_ - 1)];
        entry.addr = reinterpret_cast<uint64_t>(pool_ + size_t{id} * buffer_size_);
        entry.len = buffer_size_;
        entry.bid = id;
        ++buffer_tail_;
    }
    // ORDER: the kernel must see the entries before the tail that covers them.
    void publish() { __atomic_store_n(&buffer_ring_->resv, buffer_tail_, __ATOMIC_RELEASE); }

    io_uring_sqe* entry() {
        io_uring_sqe* sqe = io_uring_get_sqe(&ring_);
        while (sqe == nullptr) {
            check(io_uring_submit(&ring_), "cannot submit");
            sqe = io_uring_get_sqe(&ring_);
        }
        return sqe;
    }
    void arm(uint32_t slot) {
        io_uring_sqe* sqe = entry();
        io_uring_prep_recv_multishot(sqe, static_cast<int>(slot), nullptr, 0, 0);
        sqe->ioprio |= IORING_RECVSEND_POLL_FIRST;
        sqe->flags |= IOSQE_FIXED_FILE | IOSQE_BUFFER_SELECT;
        sqe->buf_group = kGroup;
        io_uring_sqe_set_data64(sqe, slot);
    }
    void ask(uint32_t slot, uint32_t count) {
        io_uring_sqe* sqe = entry();
        io_uring_prep_send(sqe, static_cast<int>(slot), requests_.octets.data(), size_t{requests_.one} * count, MSG_NOSIGNAL);
        sqe->flags |= IOSQE_FIXED_FILE | IOSQE_CQE_SKIP_SUCCESS;
        io_uring_sqe_set_data64(sqe, slot | kSendTag);
    }
    void serve(const io_uring_cqe& cqe) {
        const uint64_t tag = io_uring_cqe_get_data64(&cqe);
        if (tag & kSendTag) give_up("a send was refused", -cqe.res);
        const uint32_t slot = static_cast<uint32_t>(tag);
        if (cqe.res == 0) give_up("the target closed a connection", ECONNRESET);
        if (cqe.res < 0 && cqe.res != -ENOBUFS) give_up("cannot receive", -cqe.res);
        if (cqe.res > 0) {
            const uint16_t id = static_cast<uint16_t>(cqe.flags >> IORING_CQE_BUFFER_SHIFT);
            if (!(cqe.flags & kCqeBufferMore)) give_back(id);
            if (const uint32_t answered = count_.take(slot, static_cast<uint64_t>(cqe.res)); answered > 0) ask(slot, answered);
        }
        if (!(cqe.flags & IORING_CQE_F_MORE)) arm(slot);
    }

    const BareOptions& options_;
    const Requests& requests_;
    const std::vector<int>& sockets_;
    AnswerCount& count_;
    io_uring ring_{};
    io_uring_buf* buffer_ring_ = nullptr;
    char* pool_ = nullptr;
    uint32_t buffer_count_ = 0, buffer_size_ = 0;
    uint16_t buffer_tail_ = 0;
};

}  // namespace

void run_bare_uring(const BareOptions& options, const Requests& requests, const std::vector<int>& sockets, AnswerCount& count) {
    UringLoop loop(options, requests, sockets, count);
    loop.start();
    const uint64_t end = now_ns() + static_cast<uint64_t>(options.seconds * 1e9);
    while (!interrupted() && now_ns() < end) loop.turn();
}

}  // namespace rl::bench
