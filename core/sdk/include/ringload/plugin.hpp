// ringload/plugin.hpp - write plug-ins in C++20 over plugin.h. Header-only, without state; using it changes nothing in the ABI.
//
//   struct Burst : rl::Pacer {                       // the constructor is open(), the destructor close()
//       static constexpr rl::Info info{"burst", "1.0", "whole seconds at once", "MIT"};
//       static constexpr std::array options{rl::option(RL_OPTION_RATE, "peak", "RATE", "1k", "at the top")};
//       explicit Burst(const rl::Open<Burst>& open) : peak(open.f64("peak")) {}
//       struct Worker {                              // worker_open() and worker_close(), on that worker's own thread
//           Worker(Burst& burst, const rl_worker& worker);
//           int32_t grant(uint64_t now_ns, std::span<uint64_t> due_ns, uint64_t& next_ns);
//           uint64_t scheduled(uint64_t end_ns);
//       };
//       double peak;
//   };
//   RL_PLUGIN_EXPORT(Burst)                          // once in an object, with every plug-in that it holds
//
// A source's Worker has fill(std::span<rl_request>) and, if it wants them, recycle(std::span<const uint64_t>) and
// responses(std::span<const rl_response>). A reporter has no Worker: its own end(const rl_report&), and begin and sample if wanted.
// An exception becomes an rl_error in cold functions and RL_FAIL in hot ones; recycle, responses and scheduled must not throw.
#ifndef RINGLOAD_PLUGIN_HPP
#define RINGLOAD_PLUGIN_HPP

#include <array>
#include <concepts>
#include <cstring>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

#include "ringload/plugin.h"

namespace rl {

struct Info {
    const char *name, *version, *summary, *license;
    const char* build = "";
};

// Bases say of which kind a plug-in is, and what it has if it does not say so itself.
template <uint32_t Kind>
struct Plugin {
    static constexpr uint32_t kind = Kind;
    static constexpr std::array<rl_option, 0> options{};
    static constexpr uint32_t flags = 0;  // rl_source_flags or rl_pacer_flags
};
struct Source : Plugin<RL_KIND_SOURCE> {};
struct Pacer : Plugin<RL_KIND_PACER> {};
struct Reporter : Plugin<RL_KIND_REPORTER> {};

// ---- options: a constexpr array of these, in any order ----------------------------------------------------------------------------

// option(RL_OPTION_U64, "loops", "N", "1", "how often the file is read", 1, 1000); a def of nullptr is no default.
constexpr rl_option option(rl_option_type type, const char* name, const char* metavar, const char* def, const char* help, int64_t min = 0,
                           int64_t max = 0) {
    return rl_option{name, metavar, def, help, nullptr, min, max, type, 0};
}
constexpr rl_option required(rl_option from) {
    from.flags |= RL_OPTION_REQUIRED;
    return from;
}
constexpr rl_option names_file(rl_option from) {
    from.flags |= RL_OPTION_FILE;
    return from;
}
constexpr rl_option one_of(rl_option from, const char* const* choices) {  // a static array that ends with nullptr
    from.choices = choices;
    return from;
}

// ---- what open() is given ---------------------------------------------------------------------------------------------------------

inline std::string_view view(rl_bytes bytes) { return {reinterpret_cast<const char*>(bytes.p), bytes.n}; }

// BORROWS the host's rl_open, whose host and option strings live until close(); the rest only until the constructor returns.
template <class P>
class Open {
  public:
    explicit Open(const rl_open& raw) : raw_(raw) {}
    const rl_open& raw() const { return raw_; }
    const rl_host& host() const { return *raw_.host; }
    const rl_request_template& request() const { return *raw_.request; }

    bool is_set(std::string_view option) const { return at(option).is_set != 0; }
    bool boolean(std::string_view option) const { return of(option, RL_OPTION_BOOL).v.i != 0; }
    int64_t i64(std::string_view option) const { return of(option, RL_OPTION_I64, RL_OPTION_DURATION).v.i; }
    uint64_t u64(std::string_view option) const { return of(option, RL_OPTION_U64, RL_OPTION_SIZE).v.u; }
    double f64(std::string_view option) const { return of(option, RL_OPTION_F64, RL_OPTION_RATE).v.d; }
    std::string_view string(std::string_view option) const {
        const rl_value& value = of(option, RL_OPTION_STRING);
        return {value.v.s.p, value.v.s.n};
    }

  private:
    const rl_value& at(std::string_view option) const {
        for (size_t i = 0; i < P::options.size() && i < raw_.value_count; ++i) {
            if (option == P::options[i].name) return raw_.values[i];
        }
        throw std::logic_error("the plug-in asks for its option \"" + std::string(option) + "\" and does not declare it");
    }
    const rl_value& of(std::string_view option, uint32_t type, uint32_t or_type = UINT32_MAX) const {
        const rl_value& value = at(option);
        if (value.type == type || value.type == or_type) return value;
        throw std::logic_error("the plug-in reads its option \"" + std::string(option) + "\" as another type than it declares");
    }
    const rl_open& raw_;
};

// ---- from here on: what RL_PLUGIN_EXPORT generates ----------------------------------------------------------------------------------

#pragma GCC visibility push(hidden)  // only the macro's function leaves the object
namespace detail {

inline int refuse(rl_error* error, const char* text) noexcept {
    error->code = -1;
    const size_t n = strnlen(text, sizeof error->message - 1);
    std::memcpy(error->message, text, n);
    error->message[n] = '\0';
    return -1;
}
template <class F>
int guarded(rl_error* error, F&& f) noexcept {
    try {
        f();
        return 0;
    } catch (const std::bad_alloc&) {
        return refuse(error, "out of memory");
    } catch (const std::exception& e) {
        return refuse(error, e.what());
    } catch (...) {
        return refuse(error, "an exception that is no std::exception");
    }
}

template <class P>
int open(const rl_open* from, void** shared, rl_error* error) noexcept {
    return guarded(error, [&] { *shared = new P(Open<P>(*from)); });
}
template <class P>
void close(void* shared) noexcept {
    delete static_cast<P*>(shared);
}
template <class P>
int worker_open(void* shared, const rl_worker* worker, void** self, rl_error* error) noexcept {
    return guarded(error, [&] { *self = new typename P::Worker(*static_cast<P*>(shared), *worker); });
}
template <class P>
void worker_close(void* self) noexcept {
    delete static_cast<typename P::Worker*>(self);
}
template <class P>
int32_t fill(void* self, rl_request* out, uint32_t max) noexcept {
    try {
        return static_cast<typename P::Worker*>(self)->fill(std::span<rl_request>(out, max));
    } catch (...) {
        return RL_FAIL;
    }
}
template <class P>
void recycle(void* self, const uint64_t* cookies, uint32_t n) noexcept {
    static_cast<typename P::Worker*>(self)->recycle(std::span<const uint64_t>(cookies, n));
}
template <class P>
void responses(void* self, const rl_response* in, uint32_t n) noexcept {
    static_cast<typename P::Worker*>(self)->responses(std::span<const rl_response>(in, n));
}
template <class P>
int32_t grant(void* self, uint64_t now_ns, uint64_t* due_ns, uint32_t max, uint64_t* next_ns) noexcept {
    try {
        return static_cast<typename P::Worker*>(self)->grant(now_ns, std::span<uint64_t>(due_ns, max), *next_ns);
    } catch (...) {
        return RL_FAIL;
    }
}
template <class P>
uint64_t scheduled(void* self, uint64_t end_ns) noexcept {
    return static_cast<typename P::Worker*>(self)->scheduled(end_ns);
}
template <class P>
int begin(void* self, const rl_report* report, rl_error* error) noexcept {
    return guarded(error, [&] { static_cast<P*>(self)->begin(*report); });
}
template <class P>
int sample(void* self, const rl_report* report, rl_error* error) noexcept {
    return guarded(error, [&] { static_cast<P*>(self)->sample(*report); });
}
template <class P>
int end(void* self, const rl_report* report, rl_error* error) noexcept {
    return guarded(error, [&] { static_cast<P*>(self)->end(*report); });
}

template <class P>
constexpr auto make_ops() {
    if constexpr (P::kind == RL_KIND_SOURCE) {
        using W = typename P::Worker;
        rl_source_ops ops{sizeof ops, P::flags, &open<P>, &worker_open<P>, &fill<P>, nullptr, nullptr, &worker_close<P>, &close<P>};
        if constexpr (requires(W & w, std::span<const uint64_t> s) { w.recycle(s); }) ops.recycle = &recycle<P>;
        if constexpr (requires(W & w, std::span<const rl_response> s) { w.responses(s); }) ops.responses = &responses<P>;
        return ops;
    } else if constexpr (P::kind == RL_KIND_PACER) {
        rl_pacer_ops ops{sizeof ops, P::flags, &open<P>, &worker_open<P>, nullptr, nullptr, &worker_close<P>, &close<P>};
        if constexpr (P::flags == 0) {  // the others are never asked
            ops.grant = &grant<P>;
            ops.scheduled = &scheduled<P>;
        }
        return ops;
    } else {
        rl_reporter_ops ops{sizeof ops, P::flags, &open<P>, nullptr, nullptr, &end<P>, &close<P>};
        if constexpr (requires(P & p, const rl_report& r) { p.begin(r); }) ops.begin = &begin<P>;
        if constexpr (requires(P & p, const rl_report& r) { p.sample(r); }) ops.sample = &sample<P>;
        return ops;
    }
}

template <class P>
inline constexpr auto ops = make_ops<P>();
// clang-format off
template <class P>
constexpr rl_plugin describe(const Info& info) {
    return {sizeof(rl_plugin), RL_ABI_MAJOR, RL_ABI_MINOR, P::kind, 0, info.name, info.version, info.summary, info.license, info.build,
            P::options.data(), static_cast<uint32_t>(P::options.size()), sizeof(rl_option), &ops<P>};
}
// clang-format on
template <class P>
inline constexpr rl_plugin descriptor = describe<P>(P::info);
template <class... Ps>
inline constexpr std::array<const rl_plugin*, sizeof...(Ps)> descriptors = {&descriptor<Ps>...};

}  // namespace detail
#pragma GCC visibility pop
}  // namespace rl

#define RL_PLUGIN_EXPORT(...)                                                         \
    extern "C" RL_EXPORT const struct rl_plugin* ringload_plugin_v1(uint32_t index) { \
        constexpr auto& all = ::rl::detail::descriptors<__VA_ARGS__>;                 \
        return index < all.size() ? all[index] : nullptr;                             \
    }

#endif
