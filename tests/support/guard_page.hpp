// Octets that end at an inaccessible page, so that a reader which looks one octet too far dies on the spot.
#pragma once

#if defined(_WIN32)
#include <windows.h>
#else
#include <sys/mman.h>
#endif

#include <cstddef>
#include <cstring>
#include <string_view>

#include "core/base/assert.hpp"
#include "core/base/memory.hpp"

namespace rl::test {

class GuardPage {
  public:
    explicit GuardPage(size_t capacity) {
        usable_ = (capacity + kPage - 1) / kPage * kPage;
        size_ = usable_ + kPage;
        base_ = static_cast<char*>(map_pages(size_));
        RL_ASSERT(base_ != nullptr);
        RL_ASSERT(bar(base_ + usable_));
    }
    GuardPage(const GuardPage&) = delete;
    GuardPage& operator=(const GuardPage&) = delete;
    ~GuardPage() { unmap_pages(base_, size_); }

    // A copy of the octets whose last one lies directly before the wall; valid until the next call.
    const char* place(std::string_view octets) {
        RL_ASSERT(octets.size() <= usable_);
        char* at = base_ + usable_ - octets.size();
        if (!octets.empty()) std::memcpy(at, octets.data(), octets.size());
        return at;
    }

  private:
    static constexpr size_t kPage = 65'536;  // no system has larger ones

    static bool bar(void* page) {
#if defined(_WIN32)
        DWORD before = 0;
        return ::VirtualProtect(page, kPage, PAGE_NOACCESS, &before) != 0;
#else
        return ::mprotect(page, kPage, PROT_NONE) == 0;
#endif
    }

    char* base_ = nullptr;
    size_t usable_ = 0, size_ = 0;
};

}  // namespace rl::test
