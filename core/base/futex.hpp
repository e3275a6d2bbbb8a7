// Waiting for a 32-bit word that another thread changes, and waking those who wait.
//
// WHY not std::atomic::wait: it counts waiters in a table of its own, of which the program and every backend module have one each, so
// that a notification from one is lost on the other. The system's own call knows addresses, not tables.
#pragma once

#include <atomic>
#include <cstdint>

namespace rl {

// Returns when the word may have changed from `seen`, a wake came, a signal was handled, or after timeout_ns (0: none). Look again.
void wait_for_change(const std::atomic<uint32_t>& word, uint32_t seen, uint64_t timeout_ns) noexcept;

void wake_all(const std::atomic<uint32_t>& word) noexcept;

}  // namespace rl
