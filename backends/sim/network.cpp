// The client's end of the simulated network: verbs, the passage of time, and what is delivered to the sink.
//
// network_peer.cpp has the other end. Test code: it may allocate wherever it likes.
#include "backends/sim/network.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "backends/sim/link.hpp"
#include "core/base/assert.hpp"

namespace rl::sim {

namespace {
constexpr uint32_t kNoLink = UINT32_MAX;
constexpr char kScribble = static_cast<char>(0xd5);
}  // namespace

Network::Network(uint64_t seed, const Faults& faults) : random_(seed), faults_(faults) {
    buffers_.resize(faults.buffers, std::vector<char>(faults.buffer_octets, kScribble));
    lent_.resize(faults.buffers, false);
    for (uint32_t i = faults.buffers; i-- > 0;) free_buffers_.push_back(i);
}

Network::~Network() = default;

Endpoint Network::make_endpoint(Family family) {
    Endpoint endpoint;
    const uint16_t port = next_port_++;
    if (family == Family::ipv4) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        std::memcpy(&endpoint.address, &address, sizeof address);
        endpoint.length = sizeof address;
        endpoint.text = "127.0.0.1:" + std::to_string(port);
    } else {
        sockaddr_in6 address{};
        address.sin6_family = AF_INET6;
        address.sin6_port = htons(port);
        address.sin6_addr = in6addr_loopback;
        std::memcpy(&endpoint.address, &address, sizeof address);
        endpoint.length = sizeof address;
        endpoint.text = "[::1]:" + std::to_string(port);
    }
    return endpoint;
}

Endpoint Network::listen(Peer& peer, Family family) {
    listeners_.push_back({&peer, make_endpoint(family)});
    return listeners_.back().endpoint;
}
Endpoint Network::refusing() { return make_endpoint(Family::ipv4); }
Endpoint Network::silent() {
    listeners_.push_back({nullptr, make_endpoint(Family::ipv4)});
    return listeners_.back().endpoint;
}

// ---- verbs ---------------------------------------------------------------------------------------------------------------------

void Network::open(const engine::WorkerEnv& env) { slots_.assign(env.connections_max, kNoLink); }

Network::Link* Network::link_of(ConnId id) noexcept {
    RL_ASSERT(id.slot < slots_.size());
    Link* link = live_link(slots_[id.slot]);
    RL_ASSERT(link != nullptr && link->id == id);  // a verb names a connection that had its last event, or never was
    return link;
}

void Network::connect(ConnId id, const Endpoint& endpoint) {
    RL_ASSERT(id.slot < slots_.size() && slots_[id.slot] == kNoLink);
    auto link = std::make_unique<Link>();
    link->id = id;
    link->number = static_cast<uint32_t>(links_.size());
    for (uint32_t i = 0; i < listeners_.size(); ++i) {
        const Endpoint& known = listeners_[i].endpoint;
        if (known.length == endpoint.length && std::memcmp(&known.address, &endpoint.address, known.length) == 0) {
            link->listener = i;
        }
    }
    slots_[id.slot] = link->number;
    dirty_.push_back(link->number);
    links_.push_back(std::move(link));
    ++live_;
}

void Network::send(ConnId id, const engine::SendRef& ref) {
    Link& link = *link_of(id);
    RL_ASSERT(ref.head_len + ref.body_len > 0);
    RL_ASSERT(link.client != ClientEnd::connecting);  // only what has been opened can be sent to
    if (link.client != ClientEnd::open) return;
    link.sends.push_back({ref, digest_send(ref), 0});
    dirty_.push_back(link.number);
}

void Network::skip(ConnId id, uint64_t octets) {
    Link& link = *link_of(id);
    if (link.client == ClientEnd::open) link.skip = octets;
}

void Network::close(ConnId id) {
    Link& link = *link_of(id);
    if (link.client == ClientEnd::closing) return;
    link.client = ClientEnd::closing;
    dirty_.push_back(link.number);
}

void Network::release(BufferToken token) {
    RL_ASSERT(token.value < buffers_.size() && lent_[token.value]);
    lent_[token.value] = false;
    // Whoever still looks at the octets shall notice.
    std::fill(buffers_[token.value].begin(), buffers_[token.value].end(), kScribble);
    free_buffers_.push_back(token.value);
    for (uint32_t number : std::exchange(starving_, {})) {
        if (Link* link = live_link(number)) make_ready(*link, What::read_again);
    }
}

void Network::submit() {
    for (uint32_t number : std::exchange(dirty_, {})) {
        Link* link = live_link(number);
        if (link == nullptr || link->client == ClientEnd::gone) continue;
        if (link->client == ClientEnd::closing) {
            if (std::exchange(link->close_submitted, true)) continue;
            at(now_ + (random_.chance(faults_.late_close) ? random_.below(faults_.late_ns_max) : 0),
               {What::closed, number, 0, IoError::none, {}});
        } else if (!link->submitted) {
            link->submitted = true;
            submit_connect(*link);
        } else {
            pump(*link);
        }
    }
}

void Network::submit_connect(Link& link) {
    auto fail = [&](IoError error, uint64_t delay) { to_client(link, delay, {What::opened, link.number, 0, error, {}}); };
    if (descriptors_ >= faults_.descriptors_max) return fail(IoError::no_files, 0);
    if (random_.chance(faults_.no_ports)) return fail(IoError::no_ports, 0);
    link.holds_descriptor = true;
    ++descriptors_;
    uint64_t delay = latency();
    if (random_.chance(faults_.slow_connect)) delay += random_.below(faults_.slow_connect_ns_max);
    if (random_.chance(faults_.unreachable)) return fail(IoError::unreachable, delay);
    if (link.listener == UINT32_MAX || random_.chance(faults_.refused)) return fail(IoError::refused, delay);
    if (listeners_[link.listener].peer == nullptr) return;
    to_peer(link, delay, {What::connect_arrives, link.number, 0, IoError::none, {}});
}

// Copies up to limit octets off the front of what is queued; ends sends that are wholly taken.
uint64_t Network::take_octets(Link& link, std::string& out, uint64_t limit) {
    while (out.size() < limit && link.next_send < link.sends.size()) {
        QueuedSend& send = link.sends[link.next_send];
        const engine::SendRef& ref = send.ref;
        const bool in_head = send.taken < ref.head_len;
        const uint8_t* from = in_head ? ref.head + send.taken : ref.body + (send.taken - ref.head_len);
        const uint64_t left = in_head ? ref.head_len - send.taken : send.size() - send.taken;
        const uint64_t n = std::min<uint64_t>(left, limit - out.size());
        out.append(reinterpret_cast<const char*>(from), n);
        send.taken += static_cast<uint32_t>(n);
        if (send.taken < send.size()) continue;
        if (ref.settled) {
            RL_ASSERT(digest_send(ref) == send.digest);  // the engine changed octets that it had called settled
            link.sends.erase(link.sends.begin() + static_cast<std::ptrdiff_t>(link.next_send));
            continue;
        }
        ++link.next_send;
        const uint64_t late = random_.chance(faults_.late_sent) ? random_.below(faults_.late_ns_max) : 0;
        link.last_sent = std::max(now_ + late, link.last_sent + 1);
        at(link.last_sent, {What::sent, link.number, 1, IoError::none, {}});
    }
    return out.size();
}

// Lets the kernel take what fits the send buffer, perhaps less.
void Network::pump(Link& link) {
    if (link.client != ClientEnd::open || link.next_send >= link.sends.size() || link.pump_queued) return;
    const uint64_t space = faults_.send_buffer_octets - std::min<uint64_t>(link.unread, faults_.send_buffer_octets);
    if (space == 0) {
        link.blocked = true;
        return;
    }
    uint64_t limit = std::min<uint64_t>(space, 65536);
    if (random_.chance(faults_.short_send)) limit = random_.between(1, std::min<uint64_t>(limit, 2000));
    std::string octets;
    link.unread += take_octets(link, octets, limit);
    to_peer(link, latency(), {What::to_peer, link.number, 0, IoError::none, std::move(octets)});
    if (link.next_send < link.sends.size()) {
        link.pump_queued = true;
        at(now_ + random_.between(1, 10'000), {What::pump, link.number, 0, IoError::none, {}});
    }
}

// ---- time ----------------------------------------------------------------------------------------------------------------------

void Network::at(uint64_t time, Event event) {
    queue_.emplace(std::tuple{std::max(time, now_), random_.next(), ++sequence_}, std::move(event));
}

// Runs the next event up to `limit`; false, with the clock at `limit`, if there is none.
bool Network::step(uint64_t limit) {
    if (queue_.empty() || std::get<0>(queue_.begin()->first) > limit) {
        now_ = std::max(now_, limit);
        return false;
    }
    auto node = queue_.extract(queue_.begin());
    now_ = std::max(now_, std::get<0>(node.key()));
    run(std::move(node.mapped()));
    return true;
}

void Network::run(Event&& event) {
    Link* link = live_link(event.link);
    if (link == nullptr) return;
    if (event.what <= What::peer_timer) {
        run_at_peer(*link, std::move(event));
    } else {
        run_at_client(*link, std::move(event));
    }
}

void Network::run_at_client(Link& link, Event&& event) {
    if (event.what == What::pump) {
        link.pump_queued = false;
        return pump(link);
    }
    if (event.what == What::opened || event.what == What::sent || event.what == What::closed) {
        return make_ready(link, event.what, event.arg, event.error);
    }
    if (link.rx_rst && event.what != What::read_again) return;
    if (event.what == What::to_client) link.rx += event.octets;
    if (event.what == What::fin) link.rx_fin = true;
    if (event.what == What::rst) link.rx_rst = true;
    if (!link.read_queued) {
        link.read_queued = true;
        make_ready(link, What::read_again);
    }
}

void Network::make_ready(const Link& link, What what, uint64_t arg, IoError error) { ready_.push_back({what, link.number, arg, error}); }

Network::Waited Network::wait(const engine::WaitSpec& spec) {
    uint64_t turn_ends = now_ + faults_.turn_ns;
    if (random_.chance(faults_.stall)) turn_ends += random_.below(faults_.stall_ns_max);
    while (step(turn_ends)) {
    }
    const uint64_t entered = now_;
    if (spec.min_events == 0 || now_ >= spec.deadline_ns) return {false, now_ >= time_limit_ns_};
    const uint64_t deadline = std::min(spec.deadline_ns, time_limit_ns_);
    if (spec.min_events > 1) {
        const uint64_t window_ends = std::min(deadline, entered + spec.batch_window_ns);
        while (now_ < window_ends && ready_.size() < spec.min_events && step(window_ends)) {
        }
    }
    while (ready_.empty() && step(deadline)) {
    }
    return {now_ - entered > spec.spin_ns, now_ >= time_limit_ns_};
}

// ---- deliveries ----------------------------------------------------------------------------------------------------------------

bool Network::take(Delivery& out) {
    while (!ready_.empty()) {
        const Ready ready = ready_.front();
        ready_.pop_front();
        Link* link = live_link(ready.link);
        const bool wanted =
            link != nullptr && (ready.what == What::closed ? link->client != ClientEnd::gone : link->client < ClientEnd::closing);
        if (!wanted) {
            ++counters_.late_events;
            continue;
        }
        out = {Delivery::Kind::open, link->id, ready.error, {}, {}, 0};
        if (ready.what == What::opened) {
            link->client = ClientEnd::open;
            if (ready.error != IoError::none) forget_client(*link);
        } else if (ready.what == What::sent) {
            out.kind = Delivery::Kind::sent;
            out.count = ready.arg;
            const QueuedSend& send = link->sends.front();
            RL_ASSERT(digest_send(send.ref) == send.digest);  // the engine changed octets before on_sent
            link->sends.pop_front();
            --link->next_send;
        } else if (ready.what == What::closed) {
            take_closed(*link, ready.error, out);
        } else if (!take_read(*link, out)) {
            continue;
        }
        note(out);
        return true;
    }
    return false;
}

bool Network::take_read(Link& link, Delivery& out) {
    auto again = [&](uint64_t delay) { at(now_ + delay, {What::read_again, link.number, 0, IoError::none, {}}); };
    link.read_queued = false;
    if (link.rx_size() == 0) {
        if (!link.rx_fin && !link.rx_rst) return false;
        take_closed(link, link.rx_rst ? IoError::reset : IoError::peer_closed, out);
        return true;
    }
    if (random_.chance(faults_.late_read)) return again(random_.below(faults_.late_ns_max)), false;
    if (link.skip > 0 && !random_.chance(faults_.look_anyway)) {
        uint64_t n = std::min<uint64_t>(link.skip, link.rx_size());
        if (random_.chance(faults_.part_skip)) n = random_.between(1, n);
        out.kind = Delivery::Kind::skipped;
        out.count = n;
    } else {
        if (free_buffers_.empty() || random_.chance(faults_.starve)) {
            ++counters_.starved;
            if (free_buffers_.empty()) {
                starving_.push_back(link.number);
            } else {
                again(random_.below(faults_.late_ns_max));
            }
            return false;
        }
        out.kind = Delivery::Kind::bytes;
        out.token.value = free_buffers_.back();
        free_buffers_.pop_back();
        lent_[out.token.value] = true;
        std::vector<char>& buffer = buffers_[out.token.value];
        size_t n = std::min(link.rx_size(), buffer.size());
        if (random_.chance(faults_.split)) n = random_.between(1, n);
        std::memcpy(buffer.data(), link.rx.data() + link.rx_begin, n);
        out.octets = {buffer.data(), n};
        out.count = n;
    }
    link.rx_begin += out.count;
    link.skip -= std::min(link.skip, out.count);
    if (link.rx_begin == link.rx.size()) {
        link.rx.clear();
        link.rx_begin = 0;
    }
    if (link.rx_size() > 0 || link.rx_fin || link.rx_rst) {
        link.read_queued = true;
        make_ready(link, What::read_again);
    }
    return true;
}

void Network::take_closed(Link& link, IoError error, Delivery& out) {
    out.kind = Delivery::Kind::closed;
    out.error = error;
    for (const QueuedSend& send : link.sends) RL_ASSERT(digest_send(send.ref) == send.digest);  // changed before on_closed
    to_peer(link, latency(), {What::client_gone, link.number, 0, error, {}});
    forget_client(link);
}

// From here on the slot is free and nothing more is delivered for this link.
void Network::forget_client(Link& link) {
    link.client = ClientEnd::gone;
    link.sends.clear();
    link.next_send = 0;
    slots_[link.id.slot] = kNoLink;
    if (link.holds_descriptor) --descriptors_;
    --live_;
    // A peer's end that does not exist is told nothing.
    if (link.peer == PeerState::none || link.peer == PeerState::gone) retire(link.number);
}

void Network::retire(uint32_t number) {
    // Events and ready entries that still name the link find nothing and are dropped as late.
    links_[number].reset();
}

void Network::close_all() {
    for (const uint32_t number : slots_) {
        if (Link* link = live_link(number)) close(link->id);
    }
}

void Network::note(const Delivery& delivery) noexcept {
    const uint64_t words[] = {now_,
                              static_cast<uint64_t>(delivery.kind),
                              delivery.id.slot,
                              delivery.id.generation,
                              static_cast<uint64_t>(delivery.error),
                              delivery.count};
    trace_ = digest_octets(trace_, words, sizeof words);
    trace_ = digest_octets(trace_, delivery.octets.data(), delivery.octets.size());
}

}  // namespace rl::sim
