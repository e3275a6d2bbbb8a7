// The few values that more than one thread of `ringload serve` touches.
//
// ORDER: counts and flags are relaxed: nothing else hangs on them, and a reader needs no more than some recent value. A
// Cell is released and acquired, since a pointer in one is followed by its reader.
#pragma once

#include <atomic>
#include <cstdint>

namespace rl::serve {

// One writing thread, any number of readers: adding is a plain addition in memory.
class Count {
  public:
    void add(uint64_t n) noexcept { value_.store(value_.load(std::memory_order_relaxed) + n, std::memory_order_relaxed); }
    uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<uint64_t> value_{0};
};

// Any number of writers. add() and subtract() return the value that they leave.
class SharedCount {
  public:
    uint64_t add(uint64_t n) noexcept { return value_.fetch_add(n, std::memory_order_relaxed) + n; }
    uint64_t subtract(uint64_t n) noexcept { return value_.fetch_sub(n, std::memory_order_relaxed) - n; }
    uint64_t get() const noexcept { return value_.load(std::memory_order_relaxed); }
    void set(uint64_t value) noexcept { value_.store(value, std::memory_order_relaxed); }
    void raise_to(uint64_t value) noexcept {
        uint64_t now = get();
        while (value > now && !value_.compare_exchange_weak(now, value, std::memory_order_relaxed)) {
        }
    }

  private:
    std::atomic<uint64_t> value_{0};
};

class Flag {
  public:
    void set(bool value) noexcept { value_.store(value, std::memory_order_relaxed); }
    bool get() const noexcept { return value_.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> value_{false};
};

template <class Value>
class Cell {
  public:
    void set(Value value) noexcept { value_.store(value, std::memory_order_release); }
    Value get() const noexcept { return value_.load(std::memory_order_acquire); }

  private:
    std::atomic<Value> value_{};
};

}  // namespace rl::serve
