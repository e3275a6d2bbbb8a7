// The peer's end of the simulated network: what arrives there, what peers write, and faults on the way.
//
// A link is retired in two places only: when the news that the client is gone reaches the peer's end, and when a client leaves that the
// peer's end never saw. So callbacks of a Peer may do anything to their link without ending its life under the caller.
#include <algorithm>
#include <utility>

#include "backends/sim/link.hpp"
#include "backends/sim/network.hpp"

namespace rl::sim {

void Peer::on_gone(PeerEnd, IoError) {}
void Peer::on_timer(PeerEnd, uint64_t) {}

void Network::to_peer(Link& link, uint64_t delay_ns, Event event) {
    link.last_to_peer = std::max(now_ + delay_ns, link.last_to_peer + 1);
    at(link.last_to_peer, std::move(event));
}
void Network::to_client(Link& link, uint64_t delay_ns, Event event) {
    link.last_to_client = std::max(now_ + delay_ns, link.last_to_client + 1);
    at(link.last_to_client, std::move(event));
}

void Network::run_at_peer(Link& link, Event&& event) {
    const PeerEnd end(*this, link.number);
    if (event.what == What::connect_arrives) {
        link.peer = PeerState::open;
        if (random_.chance(faults_.slow_reader)) {
            link.read_octets = static_cast<uint32_t>(random_.between(1, 4000));
            link.read_gap_ns = random_.between(1'000, 300'000);
        }
        to_client(link, latency(), {What::opened, link.number, 0, IoError::none, {}});
        return listeners_[link.listener].peer->on_connect(end);
    }
    if (event.what == What::client_gone) return client_leaves(link, event.error);
    if (link.peer == PeerState::none || link.peer == PeerState::gone) return;
    Peer& peer = *listeners_[link.listener].peer;
    if (event.what == What::link_breaks) {
        const bool told = link.peer == PeerState::open;
        link.peer = PeerState::gone;
        if (told) peer.on_gone(end, IoError::reset);
        return;
    }
    if (event.what == What::peer_timer) {
        if (link.peer == PeerState::open) peer.on_timer(end, event.arg);
        return;
    }
    if (event.what == What::peer_reads) {
        link.read_queued_at_peer = false;
        return peer_consumes(link);
    }
    if (link.peer == PeerState::closed) return break_link(link, 0);
    const bool breaks = random_.chance(faults_.reset);
    if (breaks) event.octets.resize(random_.below(event.octets.size()));  // a part may still get through
    link.peer_in += event.octets;
    if (!link.read_queued_at_peer) peer_consumes(link);
    if (breaks) break_link(link, 0);
}

void Network::client_leaves(Link& link, IoError error) {
    if (link.peer == PeerState::open) {
        Peer& peer = *listeners_[link.listener].peer;
        const PeerEnd end(*this, link.number);
        const std::string last = std::exchange(link.peer_in, {});
        if (!last.empty()) peer.on_octets(end, last);
        link.peer = PeerState::gone;
        peer.on_gone(end, error == IoError::reset ? IoError::reset : IoError::peer_closed);
    }
    retire(link.number);
}

// The peer reads what has arrived, a slow one only a portion of it.
void Network::peer_consumes(Link& link) {
    if (link.peer_in.empty() || link.peer != PeerState::open) return;
    const size_t n = link.read_octets == 0 ? link.peer_in.size() : std::min<size_t>(link.read_octets, link.peer_in.size());
    const std::string part = link.peer_in.substr(0, n);
    link.peer_in.erase(0, n);
    link.unread -= std::min(link.unread, n);
    if (std::exchange(link.blocked, false)) pump(link);
    if (!link.peer_in.empty()) {
        link.read_queued_at_peer = true;
        at(now_ + link.read_gap_ns, {What::peer_reads, link.number, 0, IoError::none, {}});
    }
    listeners_[link.listener].peer->on_octets(PeerEnd(*this, link.number), part);
}

// The link breaks at the peer's end; the client learns of it behind everything that is under way to it.
void Network::break_link(Link& link, uint64_t delay_ns) {
    if (std::exchange(link.broken, true)) return;
    to_client(link, delay_ns + latency(), {What::rst, link.number, 0, IoError::reset, {}});
    at(now_, {What::link_breaks, link.number, 0, IoError::none, {}});
}

void Network::peer_writes(Link& link, std::span<const char> octets, uint64_t delay_ns) {
    if (link.peer != PeerState::open || link.wrote_end || link.broken) return;
    link.last_written = std::max(now_ + delay_ns, link.last_written);
    const uint64_t delay = link.last_written - now_;
    for (size_t begin = 0; begin < octets.size();) {
        size_t n = std::min<size_t>(octets.size() - begin, 65536);
        if (random_.chance(faults_.split)) n = random_.between(1, n);
        const bool breaks = random_.chance(faults_.reset);
        const bool ends = !breaks && random_.chance(faults_.half_close);
        if (breaks || ends) n = random_.below(n);
        if (n > 0) {
            to_client(link, delay + latency(), {What::to_client, link.number, 0, IoError::none, std::string(octets.data() + begin, n)});
        }
        if (breaks) return break_link(link, delay);
        if (ends) return peer_ends(link, delay_ns);
        begin += n;
    }
}

void Network::peer_ends(Link& link, uint64_t delay_ns) {
    if (link.wrote_end || link.broken) return;
    link.wrote_end = true;
    link.last_written = std::max(now_ + delay_ns, link.last_written);
    to_client(link, link.last_written - now_ + latency(), {What::fin, link.number, 0, IoError::none, {}});
}

// ---- the peer's handle -----------------------------------------------------------------------------------------------------------

void PeerEnd::write(std::span<const char> octets, uint64_t delay_ns) {
    if (Network::Link* link = network_->live_link(link_)) network_->peer_writes(*link, octets, delay_ns);
}
void PeerEnd::finish(uint64_t delay_ns) {
    Network::Link* link = network_->live_link(link_);
    if (link != nullptr && link->peer == PeerState::open) network_->peer_ends(*link, delay_ns);
}
void PeerEnd::close(uint64_t delay_ns) {
    Network::Link* link = network_->live_link(link_);
    if (link == nullptr || link->peer != PeerState::open) return;
    network_->peer_ends(*link, delay_ns);
    link->peer = PeerState::closed;
}
void PeerEnd::reset(uint64_t delay_ns) {
    Network::Link* link = network_->live_link(link_);
    if (link == nullptr || link->peer != PeerState::open) return;
    link->last_written = std::max(network_->now() + delay_ns, link->last_written);
    network_->break_link(*link, link->last_written - network_->now());
    link->peer = PeerState::gone;
}
void PeerEnd::read_slowly(uint32_t octets, uint64_t gap_ns) {
    Network::Link* link = network_->live_link(link_);
    if (link == nullptr) return;
    link->read_octets = octets;
    link->read_gap_ns = gap_ns;
}
void PeerEnd::after(uint64_t delay_ns, uint64_t tag) {
    network_->at(network_->now() + delay_ns, {Network::What::peer_timer, link_, tag, IoError::none, {}});
}

}  // namespace rl::sim
