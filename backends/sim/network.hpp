// A network inside one process: links between a worker's connections and scripted peers, in virtual time, with seeded faults.
//
// Tests only. One thread: that of the worker, which drives the network from inside poll(). Nothing ever sleeps: waiting moves the
// virtual clock to the next event. Two ends look at it: SimBackend (the client's verbs, then submit, wait, take) and the test's Peer
// objects through PeerEnd. The network is the test's and outlives backend and worker; peers outlive the network's last step.
//
// It also holds the engine to its promises: octets of a send must not change before on_sent or on_closed, verbs must name a live
// connection, a buffer is scribbled over as soon as it is given back.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "backends/sim/faults.hpp"
#include "core/engine/backend_concept.hpp"

namespace rl::sim {

using engine::BufferToken;
using engine::ConnId;
using engine::Endpoint;
using engine::IoError;

class Network;

// The peer's end of one link: a handle to copy freely. All calls are ignored once the link is gone.
class PeerEnd {
  public:
    PeerEnd(Network& network, uint32_t link) noexcept : network_(&network), link_(link) {}
    uint32_t link() const noexcept { return link_; }                  // unique over the network's life, ascending from 0
    void write(std::span<const char> octets, uint64_t delay_ns = 0);  // delays keep the order of the stream
    void finish(uint64_t delay_ns = 0);                               // ends the peer's sending side; it reads on
    void close(uint64_t delay_ns = 0);                                // ends both: octets that still come are answered by a reset
    void reset(uint64_t delay_ns = 0);
    void read_slowly(uint32_t octets, uint64_t gap_ns);  // at most so many octets, then a pause
    void after(uint64_t delay_ns, uint64_t tag);         // Peer::on_timer

  private:
    Network* network_;
    uint32_t link_;
};

// What listens at an endpoint.
class Peer {
  public:
    virtual ~Peer() = default;
    virtual void on_connect(PeerEnd end) = 0;
    virtual void on_octets(PeerEnd end, std::span<const char> octets) = 0;
    // The last call for this end: the client closed (peer_closed), or the link broke (reset). Not after its own close() or reset().
    virtual void on_gone(PeerEnd end, IoError error);
    virtual void on_timer(PeerEnd end, uint64_t tag);
};

// One event for the sink.
struct Delivery {
    enum class Kind : uint8_t { open, bytes, skipped, sent, closed };
    Kind kind = Kind::open;
    ConnId id;
    IoError error = IoError::none;
    std::span<const char> octets;  // bytes
    BufferToken token;             // bytes
    uint64_t count = 0;            // skipped: octets; sent: refs
};

class Network {
  public:
    Network(uint64_t seed, const Faults& faults);
    ~Network();
    Network(const Network&) = delete;
    Network& operator=(const Network&) = delete;

    // For the test.
    enum class Family : uint8_t { ipv4, ipv6 };
    Endpoint listen(Peer& peer, Family family = Family::ipv4);
    Endpoint refusing();                                                        // an endpoint at which nothing listens
    Endpoint silent();                                                          // an endpoint that never answers
    void time_limit(uint64_t limit_ns) noexcept { time_limit_ns_ = limit_ns; }  // on the virtual clock; beyond it poll is broken
    uint64_t now() const noexcept { return now_; }
    uint64_t trace() const noexcept { return trace_; }  // a digest of every event delivered so far, with its time
    Random& random() noexcept { return random_; }
    Faults& faults() noexcept { return faults_; }
    uint64_t links_made() const noexcept { return links_.size(); }

    // For SimBackend: the verbs of the seam, queued until submit().
    void open(const engine::WorkerEnv& env);
    void connect(ConnId id, const Endpoint& endpoint);
    void send(ConnId id, const engine::SendRef& ref);
    void skip(ConnId id, uint64_t octets);
    void close(ConnId id);
    void release(BufferToken token);
    void submit();
    struct Waited {
        bool slept, beyond_limit;
    };
    Waited wait(const engine::WaitSpec& spec);
    bool take(Delivery& out);  // the next event that is due now; octets in it are lent until release()
    void close_all();
    uint32_t live() const noexcept { return live_; }  // connections whose last event was not delivered yet
    engine::BackendCounters& counters() noexcept { return counters_; }
    const engine::BackendCounters& counters() const noexcept { return counters_; }

  private:
    friend class PeerEnd;
    struct Link;
    enum class What : uint8_t {
        connect_arrives,
        to_peer,
        client_gone,
        link_breaks,
        peer_reads,
        peer_timer,  // at the peer's end
        opened,
        to_client,
        fin,
        rst,
        read_again,
        pump,
        sent,
        closed  // at the client's end
    };
    struct Event {
        What what;
        uint32_t link;
        uint64_t arg = 0;  // peer_timer: tag; sent: refs
        IoError error = IoError::none;
        std::string octets;
    };
    struct Ready {
        What what;  // opened, read_again, sent, closed
        uint32_t link;
        uint64_t arg;
        IoError error;
    };
    struct Listener {
        Peer* peer;  // null: never answers
        Endpoint endpoint;
    };

    Endpoint make_endpoint(Family family);
    Link* link_of(ConnId id) noexcept;
    Link* live_link(uint32_t index) noexcept { return index < links_.size() ? links_[index].get() : nullptr; }
    void at(uint64_t time, Event event);
    void to_peer(Link& link, uint64_t delay_ns, Event event);
    void to_client(Link& link, uint64_t delay_ns, Event event);
    uint64_t latency() noexcept { return random_.between(faults_.latency_ns_min, faults_.latency_ns_max); }
    void make_ready(const Link& link, What what, uint64_t arg = 0, IoError error = IoError::none);

    void submit_connect(Link& link);
    void pump(Link& link);
    uint64_t take_octets(Link& link, std::string& out, uint64_t limit);
    bool step(uint64_t limit);
    void run(Event&& event);
    void run_at_peer(Link& link, Event&& event);
    void run_at_client(Link& link, Event&& event);
    void peer_consumes(Link& link);
    void client_leaves(Link& link, IoError error);
    void peer_writes(Link& link, std::span<const char> octets, uint64_t delay_ns);
    void peer_ends(Link& link, uint64_t delay_ns);
    void break_link(Link& link, uint64_t delay_ns);
    bool take_read(Link& link, Delivery& out);
    void take_closed(Link& link, IoError error, Delivery& out);
    void forget_client(Link& link);
    void retire(uint32_t index);
    void note(const Delivery& delivery) noexcept;

    Random random_;
    Faults faults_;
    uint64_t now_ = 1'000'000'000;
    uint64_t time_limit_ns_ = UINT64_MAX;
    uint64_t trace_ = 0xcbf29ce484222325u;
    uint64_t sequence_ = 0;
    uint32_t live_ = 0, descriptors_ = 0;
    uint16_t next_port_ = 20000;
    std::vector<Listener> listeners_;
    std::vector<std::unique_ptr<Link>> links_;                         // by link number; null once both ends are gone
    std::vector<uint32_t> slots_;                                      // slot to link number
    std::vector<uint32_t> dirty_, starving_;                           // links with something to submit; links waiting for a buffer
    std::map<std::tuple<uint64_t, uint64_t, uint64_t>, Event> queue_;  // by time, then by chance, then by age
    std::deque<Ready> ready_;
    std::vector<std::vector<char>> buffers_;
    std::vector<uint32_t> free_buffers_;
    std::vector<bool> lent_;
    engine::BackendCounters counters_;
};

}  // namespace rl::sim
