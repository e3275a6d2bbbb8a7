#include "bench/backend/uring_peer.hpp"

#include <liburing.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "backends/io_uring/buffer_ring.hpp"
#include "backends/io_uring/ring.hpp"
#include "core/base/cpu.hpp"

namespace rl::bench {

class UringPeer::Loop {
  public:
    explicit Loop(int listener) : listener_(listener), octets_(size_t{1} << 20, 'e') {
        need(ring_.open(256, 32768, IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN), "no ring");
        need(buffers_.open(ring_.raw(), 1024, 16384, false), "no buffers");
        ring_.register_descriptor();
        arm_accept();
    }

    void turn() {
        const int n = ring_.enter(0, IORING_ENTER_GETEVENTS, nullptr);
        if (n != -EINTR && n != -EBUSY && n != -EAGAIN) need(n, "the kernel takes no more");
        for (uint32_t left = ring_.ready(); left != 0; --left) {
            const io_uring_cqe cqe = ring_.front();
            ring_.pop();
            if (cqe.user_data == kAccept) {
                accepted(cqe);
            } else if ((cqe.user_data & kSend) == 0) {
                received(cqe);
            }
        }
        ring_.publish();
        buffers_.publish();
    }
    uint32_t open() const { return open_; }

  private:
    static constexpr uint64_t kAccept = UINT64_MAX, kSend = uint64_t{1} << 32;

    static void need(int result, const char* what) {
        if (result >= 0) return;
        std::fprintf(stderr, "compare_backends: the peer: %s: %s\n", what, os_text(-result).c_str());
        std::exit(1);
    }
    void arm_accept() {
        io_uring_sqe* sqe = ring_.entry();
        io_uring_prep_multishot_accept(sqe, listener_, nullptr, nullptr, SOCK_CLOEXEC);
        sqe->user_data = kAccept;
    }
    void arm_receive(int fd) {
        io_uring_sqe* sqe = ring_.entry();
        io_uring_prep_recv_multishot(sqe, fd, nullptr, 0, 0);
        sqe->ioprio |= IORING_RECVSEND_POLL_FIRST;
        sqe->flags |= IOSQE_BUFFER_SELECT;
        sqe->buf_group = uring::BufferRing::kGroup;
        sqe->user_data = static_cast<uint64_t>(fd);
    }
    void accepted(const io_uring_cqe& cqe) {
        if ((cqe.flags & IORING_CQE_F_MORE) == 0) arm_accept();
        if (cqe.res < 0) return;
        const int on = 1;
        setsockopt(cqe.res, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        // Its end is a reset, so that thousands of connections leave no port that is waiting to be free again.
        const linger at_once{.l_onoff = 1, .l_linger = 0};
        setsockopt(cqe.res, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        ++open_;
        arm_receive(cqe.res);
    }
    void received(const io_uring_cqe& cqe) {
        const auto fd = static_cast<int>(cqe.user_data);
        if (cqe.res > 0) {
            const auto octets = static_cast<uint32_t>(cqe.res);
            buffers_.done(uring::BufferRing::id_of(cqe), octets, false, false);
            io_uring_sqe* sqe = ring_.entry();
            io_uring_prep_send(sqe, fd, octets_.data(), octets, MSG_NOSIGNAL | MSG_WAITALL);
            sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
            sqe->user_data = static_cast<uint64_t>(fd) | kSend;
        }
        if ((cqe.flags & IORING_CQE_F_MORE) != 0) return;
        if (cqe.res > 0 || cqe.res == -ENOBUFS) return arm_receive(fd);
        ::close(fd);
        --open_;
    }

    int listener_;
    std::string octets_;
    uring::BufferRing buffers_;
    uring::SubmissionRing ring_;
    uint32_t open_ = 0;
};

UringPeer::UringPeer(int cpu) {
    listener_ = listen_on_loopback(endpoint_);
    thread_ = std::thread([this, cpu] { serve(cpu); });
}

UringPeer::~UringPeer() {
    stop_.store(true, std::memory_order_relaxed);  // ORDER: as declared
    thread_.join();
    ::close(listener_);
}

void UringPeer::serve(int cpu) {
    // On a machine where pinning is refused the figures are worse, not wrong.
    if (cpu >= 0) (void)pin_this_thread(static_cast<unsigned>(cpu)).has_value();
    Loop loop(listener_);
    // The contenders close their ends before this is stopped, so what is open comes to its end.
    while (!stop_.load(std::memory_order_relaxed) || loop.open() > 0) loop.turn();  // ORDER: as declared
}

}  // namespace rl::bench
