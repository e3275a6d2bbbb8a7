#include "backends/io_uring/buffer_ring.hpp"

#include <bit>
#include <cerrno>
#include <cstring>

namespace rl::uring {
namespace {

void* map(size_t bytes) noexcept {
    void* memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

void BufferRing::unmap() noexcept {
    if (entries_ != nullptr) ::munmap(entries_, entries_bytes_);
    if (memory_ != nullptr) ::munmap(memory_, memory_bytes_);
    entries_ = nullptr;
    memory_ = nullptr;
}

int BufferRing::map_all(uint32_t places, uint32_t count, uint32_t size) noexcept {
    unmap();  // a first try with another kind may have been refused
    entries_bytes_ = places * sizeof(io_uring_buf);
    memory_bytes_ = size_t{count} * size;
    entries_ = static_cast<io_uring_buf*>(map(entries_bytes_));
    memory_ = static_cast<char*>(map(memory_bytes_));
    if (entries_ == nullptr || memory_ == nullptr) return -ENOMEM;
    used_ = arena_.array<uint32_t>(count);
    pins_ = arena_.array<uint32_t>(count);
    retired_ = arena_.array<bool>(count);
    size_ = size;
    mask_ = places - 1;
    tail_ = 0;
    return 0;
}

int BufferRing::open(io_uring* ring, uint32_t count, uint32_t size, bool incremental) noexcept {
    if (const int error = map_all(count, count, size); error != 0) return error;
    io_uring_buf_reg registration{};
    registration.ring_addr = reinterpret_cast<uint64_t>(entries_);
    registration.ring_entries = count;
    registration.bgid = kGroup;
    // The field behind bgid is called pad in liburing 2.3 and flags in later ones.
    const uint16_t flags = incremental ? kBufferRingIncremental : 0;
    std::memcpy(reinterpret_cast<char*>(&registration) + offsetof(io_uring_buf_reg, bgid) + sizeof registration.bgid, &flags, sizeof flags);
    if (const int error = io_uring_register_buf_ring(ring, &registration, 0); error < 0) return error;
    for (uint32_t id = 0; id < count; ++id) lend(id);
    publish();
    return 0;
}

int BufferRing::open_own(uint32_t count, uint32_t size) noexcept {
    if (const int error = map_all(std::bit_ceil(count), count, size); error != 0) return error;
    for (uint32_t id = count; id != 0; --id) lend(id - 1);
    return 0;
}

}  // namespace rl::uring
