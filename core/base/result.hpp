// Result<T>: a value or a Failure. The shape of C++23's expected<T, E>, which the compilers that we support do not both have.
#pragma once

#include <optional>
#include <utility>
#include <variant>

#include "core/base/error.hpp"

namespace rl {

template <class T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Failure failure) : state_(std::in_place_index<1>, std::move(failure)) {}

    bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }
    T& value() & { return std::get<0>(state_); }
    const T& value() const& { return std::get<0>(state_); }
    T&& value() && { return std::get<0>(std::move(state_)); }
    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }
    Failure& error() & { return std::get<1>(state_); }
    const Failure& error() const& { return std::get<1>(state_); }
    Failure&& error() && { return std::get<1>(std::move(state_)); }

  private:
    std::variant<T, Failure> state_;
};

template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Failure failure) : failure_(std::move(failure)) {}

    bool has_value() const noexcept { return !failure_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }
    Failure& error() & { return *failure_; }
    const Failure& error() const& { return *failure_; }
    Failure&& error() && { return std::move(*failure_); }

  private:
    std::optional<Failure> failure_;
};

}  // namespace rl

// Leaves the enclosing function with the failure of expr, if it has one.
#define RL_TRY(expr)                                       \
    do {                                                   \
        if (auto rl_try_result = (expr); !rl_try_result) { \
            return std::move(rl_try_result).error();       \
        }                                                  \
    } while (false)
