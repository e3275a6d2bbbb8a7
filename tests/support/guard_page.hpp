// Octets that end at an inaccessible page, so that a reader which looks one octet too far dies on the spot.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <string_view>

#include "core/base/assert.hpp"

namespace rl::test {

class GuardPage {
  public:
    explicit GuardPage(size_t capacity) {
        const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        usable_ = (capacity + page - 1) / page * page;
        size_ = usable_ + page;
        void* memory = mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        RL_ASSERT(memory != MAP_FAILED);
        base_ = static_cast<char*>(memory);
        RL_ASSERT(mprotect(base_ + usable_, page, PROT_NONE) == 0);
    }
    GuardPage(const GuardPage&) = delete;
    GuardPage& operator=(const GuardPage&) = delete;
    ~GuardPage() { munmap(base_, size_); }

    // A copy of the octets whose last one lies directly before the wall; valid until the next call.
    const char* place(std::string_view octets) {
        RL_ASSERT(octets.size() <= usable_);
        char* at = base_ + usable_ - octets.size();
        if (!octets.empty()) std::memcpy(at, octets.data(), octets.size());
        return at;
    }

  private:
    char* base_ = nullptr;
    size_t usable_ = 0, size_ = 0;
};

}  // namespace rl::test
