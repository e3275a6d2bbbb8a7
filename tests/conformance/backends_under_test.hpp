// Which backends the suite runs over, and for each: its option values, its peers, and whether its time is virtual.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backends/null/backend.hpp"
#include "backends/sim/backend.hpp"
#include "tests/conformance/loopback_host.hpp"
#include "tests/conformance/script.hpp"
#include "tests/conformance/sim_host.hpp"
#ifdef __linux__
#include "backends/epoll/backend.hpp"
#endif
#ifdef RL_TEST_IO_URING
#include "backends/io_uring/backend.hpp"
#include "backends/io_uring/options.hpp"
#endif
#ifdef RL_TEST_KQUEUE
#include "backends/kqueue/backend.hpp"
#endif
#ifdef RL_TEST_IOCP
#include "backends/iocp/backend.hpp"
#endif

namespace rl::conformance {

template <class B>
class Under;

// The plain network shows the rules; the rough one breaks up, delays and starves whatever the rules allow.
template <bool Rough>
class UnderSim {
  public:
    static constexpr bool kVirtualTime = true;
    const rl_value* values() { return &value_; }
    PeerHost& host() { return host_; }

  private:
    static sim::Faults faults() {
        sim::Faults f;
        if (!Rough) return f;
        f.latency_ns_max = 400'000;
        f.split = f.late_read = f.short_send = f.late_sent = f.part_skip = f.late_close = 0.5;
        f.look_anyway = f.starve = 0.2;
        f.buffers = 4;
        f.buffer_octets = 3000;
        f.send_buffer_octets = 20000;
        return f;
    }
    sim::Network network_{20, faults()};
    rl_value value_ = sim::network_value(network_);
    SimHost host_{network_};
};

// A type of its own, so that the suite can list it beside SimBackend.
class RoughSimBackend : public sim::SimBackend {
  public:
    static const char* name() noexcept { return "sim_rough"; }
};

template <>
class Under<sim::SimBackend> : public UnderSim<false> {};
template <>
class Under<RoughSimBackend> : public UnderSim<true> {};

class UnderLoopback {
  public:
    static constexpr bool kVirtualTime = false;
    const rl_value* values() { return nullptr; }  // the defaults
    PeerHost& host() { return host_; }

  private:
    LoopbackHost host_;
};

template <>
class Under<null::NullBackend> : public UnderLoopback {};

#ifdef __linux__
template <>
class Under<epoll::EpollBackend> : public UnderLoopback {};
#define RL_EPOLL_BACKENDS , epoll::EpollBackend
#else
#define RL_EPOLL_BACKENDS
#endif

// The switches of a backend in the order of its table: its defaults, but for what a variant sets.
class UnderSwitches {
  public:
    static constexpr bool kVirtualTime = false;
    const rl_value* values() { return values_.data(); }
    PeerHost& host() { return host_; }

  protected:
    explicit UnderSwitches(std::span<const rl_option> table) : table_(table), values_(table.size()) {
        for (const rl_option& option : table) set(option.name, option.def);
    }
    void set(std::string_view option, const char* text) {
        for (size_t i = 0; i < table_.size(); ++i) {
            if (option != table_[i].name) continue;
            rl_value& value = values_[i];
            value.type = table_[i].type;
            value.is_set = 1;
            if (value.type == RL_OPTION_STRING) {
                value.v.s.p = text;
                value.v.s.n = std::strlen(text);
            } else if (value.type == RL_OPTION_BOOL) {
                value.v.i = std::string_view(text) == "true";
            } else {
                value.v.u = std::strtoull(text, nullptr, 10);
            }
            return;
        }
        ADD_FAILURE() << "there is no option " << option;
    }

  private:
    std::span<const rl_option> table_;
    std::vector<rl_value> values_;
    LoopbackHost host_;
};

#ifdef RL_TEST_IO_URING
class UnderRing : public UnderSwitches {
  protected:
    UnderRing() : UnderSwitches(uring::kOptionTable) {}
};

template <>
class Under<uring::IoUringBackend> : public UnderRing {};

// Everything by option that can be done without: one receive at a time, one buffer for each, completions as interrupts.
class OldRingBackend : public uring::IoUringBackend {
  public:
    static const char* name() noexcept { return "io_uring_old"; }
};
template <>
class Under<OldRingBackend> : public UnderRing {
  public:
    Under() {
        set("taskrun", "none");
        set("receive", "single");
        set("buffers", "fixed");
        set("skip_success", "false");
        set("registered_ring", "false");
        set("discard", "false");
        set("poll_first", "false");
    }
};

// Few and small buffers that are used whole, and a short submission queue: the paths for when something has run out.
class TightRingBackend : public uring::IoUringBackend {
  public:
    static const char* name() noexcept { return "io_uring_tight"; }
};
template <>
class Under<TightRingBackend> : public UnderRing {
  public:
    Under() {
        set("buffers", "fixed");
        set("buffer_size", "2048");
        set("buffer_count", "4");
        set("submission_entries", "8");
    }
};

// The rungs of the ladder: what is used where a kernel has less. Tight: and where buffers and places in the queue are few.
enum class Room : uint8_t { plenty, tight };
template <uint32_t Version, Room Space = Room::plenty>
class PretendedRingBackend : public uring::IoUringBackend {
  public:
    static std::string name() {
        return "io_uring_" + std::to_string(Version / 100) + '_' + std::to_string(Version % 100) + (Space == Room::tight ? "_tight" : "");
    }
};
template <uint32_t Version, Room Space>
class Under<PretendedRingBackend<Version, Space>> : public UnderRing {
  public:
    Under() : version_(std::to_string(Version / 100) + '.' + std::to_string(Version % 100)) {
        set("kernel", version_.c_str());
        if (Space == Room::plenty) return;
        set("buffer_size", "8192");
        set("buffer_count", "8");
        set("submission_entries", "8");
    }

  private:
    std::string version_;
};
#define RL_RING_BACKENDS                                                                                                          \
    , uring::IoUringBackend, OldRingBackend, TightRingBackend, PretendedRingBackend<515>, PretendedRingBackend<515, Room::tight>, \
        PretendedRingBackend<600>, PretendedRingBackend<600, Room::tight>, PretendedRingBackend<601>, PretendedRingBackend<606>,  \
        PretendedRingBackend<612>
#else
#define RL_RING_BACKENDS
#endif

#ifdef RL_TEST_KQUEUE
template <>
class Under<kqueue::KqueueBackend> : public UnderLoopback {};

#ifdef RL_KQUEUE_SHIM
// Of two events of one connection, reading comes first.
class ReadFirstKqueueBackend : public kqueue::KqueueBackend {
  public:
    ReadFirstKqueueBackend() { kqueue_shim_read_first(1); }
    ~ReadFirstKqueueBackend() { kqueue_shim_read_first(0); }
    static const char* name() noexcept { return "kqueue_read_first"; }
};
template <>
class Under<ReadFirstKqueueBackend> : public UnderLoopback {};
#define RL_KQUEUE_BACKENDS , kqueue::KqueueBackend, ReadFirstKqueueBackend
#else
#define RL_KQUEUE_BACKENDS , kqueue::KqueueBackend
#endif
#else
#define RL_KQUEUE_BACKENDS
#endif

#ifdef RL_TEST_IOCP
class UnderPort : public UnderSwitches {
  protected:
    UnderPort() : UnderSwitches(iocp::kOptionTable) {}
};

template <>
class Under<iocp::IocpBackend> : public UnderPort {};

// Everything is reported through the port, and the end of a wait is spun away.
class PlainPortBackend : public iocp::IocpBackend {
  public:
    static const char* name() noexcept { return "iocp_plain"; }
};
template <>
class Under<PlainPortBackend> : public UnderPort {
  public:
    Under() {
        set("skip_success", "false");
        set("high_resolution", "false");
    }
};

// Small buffers, and next to none to spare for what the sink holds.
class TightPortBackend : public iocp::IocpBackend {
  public:
    static const char* name() noexcept { return "iocp_tight"; }
};
template <>
class Under<TightPortBackend> : public UnderPort {
  public:
    Under() {
        set("buffer_size", "2000");
        set("spare_buffers", "2");
    }
};
#define RL_PORT_BACKENDS , iocp::IocpBackend, PlainPortBackend, TightPortBackend
#else
#define RL_PORT_BACKENDS
#endif

using ScriptedBackends =
    ::testing::Types<sim::SimBackend, RoughSimBackend RL_EPOLL_BACKENDS RL_RING_BACKENDS RL_KQUEUE_BACKENDS RL_PORT_BACKENDS>;
// With null, which answers everything from memory and knows no peer.
using AllBackends = ::testing::Types<sim::SimBackend, RoughSimBackend,
                                     null::NullBackend RL_EPOLL_BACKENDS RL_RING_BACKENDS RL_KQUEUE_BACKENDS RL_PORT_BACKENDS>;

struct BackendNames {
    template <class B>
    static std::string GetName(int) {
        return B::name();
    }
};

}  // namespace rl::conformance
