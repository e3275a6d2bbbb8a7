#include "backends/io_uring/ring.hpp"

namespace rl::uring {

int SubmissionRing::open(uint32_t submissions, uint32_t completions, uint32_t setup_flags) noexcept {
    close();
    io_uring_params params{};
    params.flags = setup_flags | IORING_SETUP_CQSIZE | IORING_SETUP_CLAMP;
    params.cq_entries = completions < submissions * 2 ? submissions * 2 : completions;
    const int error = io_uring_queue_init_params(submissions, &ring_, &params);
    if (error < 0) return error;
    open_ = true;
    head_ = 0;
    enter_fd_ = static_cast<unsigned>(ring_.ring_fd);
    enter_flags_ = 0;
    for (uint32_t i = 0; i < ring_.sq.ring_entries; ++i) ring_.sq.array[i] = i;
    return 0;
}

void SubmissionRing::close() noexcept {
    if (open_) io_uring_queue_exit(&ring_);
    open_ = false;
}

bool SubmissionRing::register_descriptor() noexcept {
    if (io_uring_register_ring_fd(&ring_) != 1) return false;
    enter_fd_ = static_cast<unsigned>(ring_.enter_ring_fd);
    enter_flags_ = IORING_ENTER_REGISTERED_RING;
    return true;
}

}  // namespace rl::uring
