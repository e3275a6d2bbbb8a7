#include "bench/backend/bare_contender.hpp"

#include <liburing.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "backends/io_uring/buffer_ring.hpp"
#include "backends/io_uring/kernel.hpp"
#include "backends/io_uring/ring.hpp"
#include "core/base/clock.hpp"

namespace rl::bench {
namespace {

// KERNEL: since 6.10 - IORING_RECVSEND_BUNDLE
constexpr uint16_t kBundle = 1u << 4;
// KERNEL: since 6.0 - zero-copy sends complete twice: this mark says that the second one, the notification, is still to come or has come.
constexpr uint32_t kMore = IORING_CQE_F_MORE, kNotification = 1u << 3;
constexpr uint64_t kSendTag = uint64_t{1} << 63;

class BareContender final : public Contender {
  public:
    BareContender(std::string name, Shape shape, Waiting waiting, BareSwitches with)
        : Contender(std::move(name), shape, waiting), with_(with) {}
    ~BareContender() override {
        for (const int fd : sockets_) ::close(fd);
    }

    bool open(const engine::Endpoint& peer) override {
        const unsigned flags = IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN;
        if (const int error = ring_.open(256, 32768, flags); error != 0) return fail("no ring: " + os_text(-error));
        const bool known = (!with_.receive_bundles && !with_.send_bundles) || (ring_.features() & uring::kFeatureBundles) != 0;
        if (!known) return fail("this kernel has no bundles");
        // Bundles are of whole buffers, so incremental ones would hide them.
        const int error =
            with_.receive_bundles ? buffers_.open(ring_.raw(), 1024, kBundled, false) : buffers_.open(ring_.raw(), 16, 32768, true);
        if (error != 0) return fail("no buffers: " + os_text(-error));
        if (!ring_.register_descriptor()) return fail("the ring's descriptor cannot be registered");
        for (uint32_t slot = 0; slot < shape().connections; ++slot) {
            if (!connect_one(peer)) return fail("cannot connect: " + os_text(errno));
        }
        if (with_.fixed_files) {
            const int registered = io_uring_register_files(ring_.raw(), sockets_.data(), static_cast<unsigned>(sockets_.size()));
            if (registered < 0) return fail("descriptors cannot be registered: " + os_text(-registered));
        }
        if (with_.send_bundles && !open_outgoing()) return false;
        for (uint32_t slot = 0; slot < shape().connections; ++slot) arm(slot);
        return true;
    }
    void close() override {
        ring_.close();
        for (const int fd : sockets_) ::close(fd);
        sockets_.clear();
        if (outgoing_ != nullptr) ::munmap(outgoing_, outgoing_bytes_);
        outgoing_ = nullptr;
    }
    std::string switches() const override { return "bare loop"; }

  protected:
    bool poll(Wait wait, uint32_t& events) override {
        int n = 0;
        if (wait == Wait::none) {
            n = ring_.enter(0, IORING_ENTER_GETEVENTS, nullptr);
        } else {
            const __kernel_timespec time{0, 50'000'000};
            io_uring_getevents_arg arg{0, 8, 0, reinterpret_cast<uint64_t>(&time)};
            n = ring_.enter(1, IORING_ENTER_GETEVENTS, &arg);
        }
        if (n < 0 && n != -ETIME && n != -EINTR && n != -EBUSY && n != -EAGAIN) return fail("io_uring_enter: " + os_text(-n));
        volley().now = monotonic_ns();
        events = ring_.ready();
        for (uint32_t left = events; left != 0; --left) {
            const io_uring_cqe cqe = ring_.front();
            ring_.pop();
            if (!serve(cqe)) return false;
        }
        ring_.publish();
        buffers_.publish();
        return true;
    }
    void send(uint32_t slot, uint32_t messages) override {
        if (with_.send_bundles) return send_bundle(slot, messages);
        io_uring_sqe* sqe = request(slot, with_.zero_copy ? uring::kOpSendZeroCopy : static_cast<uint8_t>(IORING_OP_SEND));
        sqe->addr = reinterpret_cast<uint64_t>(volley().octets());
        sqe->len = volley().leave(slot, messages);
        sqe->msg_flags = MSG_NOSIGNAL | MSG_WAITALL;
        // A zero-copy send cannot be silent: its notification is what tells when the octets are free.
        if (!with_.zero_copy) sqe->flags |= IOSQE_CQE_SKIP_SUCCESS;
        sqe->user_data = slot | kSendTag;
    }
    uint64_t syscalls() const override { return ring_.enters(); }

  private:
    static constexpr uint32_t kBundled = 1024;
    static constexpr uint32_t kPage = 4096;

    // A page for each connection: the ring of the messages that are to go out.
    bool open_outgoing() {
        outgoing_bytes_ = size_t{shape().connections} * kPage;
        void* memory = ::mmap(nullptr, outgoing_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED) return fail("no memory");
        outgoing_ = static_cast<io_uring_buf*>(memory);
        tails_.resize(shape().connections);
        for (uint32_t slot = 0; slot < shape().connections; ++slot) {
            io_uring_buf_reg registration{};
            registration.ring_addr = reinterpret_cast<uint64_t>(ring_of(slot));
            registration.ring_entries = kPlaces;
            registration.bgid = group_of(slot);
            const int error = io_uring_register_buf_ring(ring_.raw(), &registration, 0);
            if (error < 0) return fail("no buffer ring for sends: " + os_text(-error));
        }
        return true;
    }
    io_uring_buf* ring_of(uint32_t slot) const { return outgoing_ + size_t{slot} * (kPage / sizeof(io_uring_buf)); }
    static uint16_t group_of(uint32_t slot) { return static_cast<uint16_t>(slot + 2); }
    void send_bundle(uint32_t slot, uint32_t messages) {
        io_uring_buf* const places = ring_of(slot);
        for (uint32_t i = 0; i < messages; ++i) {
            io_uring_buf& place = places[tails_[slot] % kPlaces];
            place.addr = reinterpret_cast<uint64_t>(volley().octets());
            place.len = shape().size;
            place.bid = static_cast<uint16_t>(tails_[slot]++ % kPlaces);
        }
        (void)volley().leave(slot, messages);
        __atomic_store_n(&places->resv, tails_[slot], __ATOMIC_RELEASE);  // ORDER: the places are written
        io_uring_sqe* sqe = request(slot, IORING_OP_SEND);
        sqe->ioprio = kBundle;
        sqe->flags |= IOSQE_BUFFER_SELECT | IOSQE_CQE_SKIP_SUCCESS;
        sqe->buf_group = group_of(slot);
        sqe->msg_flags = MSG_NOSIGNAL | MSG_WAITALL;
        sqe->user_data = slot | kSendTag;
    }

    bool connect_one(const engine::Endpoint& peer) {
        const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0) return false;
        sockets_.push_back(fd);
        const int on = 1;
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        return ::connect(fd, reinterpret_cast<const sockaddr*>(&peer.address), peer.length) == 0;
    }
    io_uring_sqe* request(uint32_t slot, uint8_t operation) {
        io_uring_sqe* sqe = ring_.entry();
        sqe->opcode = operation;
        sqe->fd = with_.fixed_files ? static_cast<int>(slot) : sockets_[slot];
        if (with_.fixed_files) sqe->flags = IOSQE_FIXED_FILE;
        return sqe;
    }
    void arm(uint32_t slot) {
        io_uring_sqe* sqe = request(slot, IORING_OP_RECV);
        sqe->ioprio = IORING_RECV_MULTISHOT | IORING_RECVSEND_POLL_FIRST;
        if (with_.receive_bundles) sqe->ioprio |= kBundle;
        sqe->flags |= IOSQE_BUFFER_SELECT;
        sqe->buf_group = uring::BufferRing::kGroup;
        sqe->user_data = slot;
    }
    bool serve(const io_uring_cqe& cqe) {
        if ((cqe.user_data & kSendTag) != 0) {
            // A bundle that went out before may have taken the messages of this one along.
            const bool nothing_left = with_.send_bundles && cqe.res == -ENOBUFS;
            const bool refused = cqe.res < 0 && (cqe.flags & kNotification) == 0 && !nothing_left;
            if (refused) return fail("a send was refused: " + os_text(-cqe.res));
            return true;
        }
        const auto slot = static_cast<uint32_t>(cqe.user_data);
        if (cqe.res == 0 || (cqe.res < 0 && cqe.res != -ENOBUFS)) return fail("a connection ended: " + os_text(-cqe.res));
        if (cqe.res > 0) {
            give_back(cqe);
            if (const uint32_t again = volley().arrive(slot, static_cast<uint32_t>(cqe.res)); again != 0) send(slot, again);
        }
        if ((cqe.flags & kMore) == 0) arm(slot);
        return true;
    }
    // With bundles the octets lie in as many buffers as they fill, the ids one behind the other as they were lent.
    void give_back(const io_uring_cqe& cqe) {
        uint32_t id = uring::BufferRing::id_of(cqe);
        auto octets = static_cast<uint32_t>(cqe.res);
        if (!with_.receive_bundles) return buffers_.done(id, octets, (cqe.flags & uring::kCqeBufferMore) != 0, false);
        for (; octets != 0; octets -= std::min(octets, kBundled)) {
            buffers_.done(id, std::min(octets, kBundled), false, false);
            id = (id + 1) % 1024;
        }
    }

    BareSwitches with_;
    uring::BufferRing buffers_;
    uring::SubmissionRing ring_;
    std::vector<int> sockets_;
    static constexpr uint32_t kPlaces = 64;
    io_uring_buf* outgoing_ = nullptr;
    size_t outgoing_bytes_ = 0;
    std::vector<uint16_t> tails_;
};

}  // namespace

std::unique_ptr<Contender> make_bare(std::string name, Shape shape, Waiting waiting, BareSwitches switches) {
    return std::make_unique<BareContender>(std::move(name), shape, waiting, switches);
}

}  // namespace rl::bench
