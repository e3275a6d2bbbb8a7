// What readiness_io expects of the system's way to say that sockets are ready.
//
// A poller belongs to one worker and its thread. What enters the kernel counts that in `syscalls`. Verbs:
//   open        allocates everything from the arena, which outlives the poller's last call
//   add         watch a connecting socket, at the latest from the next wait on; false with errno
//   await_room  a send was cut short: writable() shall come once there is room again
//   forget      this descriptor is about to be closed
//   wait        how many events there are, or -errno
// The i-th event of the last wait: key(i) of add(), readable(i), writable(i), ended(i). Where kDetailed is set they tell more:
//   refused(i)  errno of an add() that was not done after all, else 0; such an event tells nothing else
//   error(i)    errno of an end that is an error, else 0. A connecting socket that did not end is connected
//   waiting(i)  how many octets can be read, or kUnknown
#pragma once

#include <concepts>
#include <cstdint>

#include "core/base/arena.hpp"
#include "core/base/result.hpp"

namespace rl::backends {

inline constexpr uint64_t kUnknown = UINT64_MAX;  // as a number of octets: only reading tells

template <class P>
concept DetailedReadiness = requires(const P p, int i) {
    { p.refused(i) } -> std::same_as<int>;
    { p.error(i) } -> std::same_as<int>;
    { p.waiting(i) } -> std::same_as<uint64_t>;
};

template <class P>
concept Readiness = requires(P p, const P seen, Arena& arena, int fd, uint64_t key, uint64_t& syscalls, int i) {
    { P::kDetailed } -> std::convertible_to<bool>;
    { P::kEndIsCertain } -> std::convertible_to<bool>;  // with kDetailed: an end is announced only where it is, with all octets before it
    { P::kDropsUnread } -> std::convertible_to<bool>;   // octets of a stream can be dropped without reading them: discard_octets()
    { p.open(arena, uint32_t{}) } -> std::same_as<Result<void>>;
    { p.add(fd, key, syscalls) } -> std::same_as<bool>;
    p.await_room(fd, key);
    p.forget(fd, key, syscalls);
    { p.wait(uint64_t{}, syscalls) } -> std::same_as<int>;
    { seen.key(i) } -> std::same_as<uint64_t>;
    { seen.readable(i) } -> std::same_as<bool>;
    { seen.writable(i) } -> std::same_as<bool>;
    { seen.ended(i) } -> std::same_as<bool>;
}
&&(!P::kDetailed || DetailedReadiness<P>);

}  // namespace rl::backends
