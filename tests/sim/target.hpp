// The target of simulated runs: an HTTP/1.1 server that keeps its own books, independent of the engine and of its parser.
//
// It reads requests octet by octet, answers them in order with whatever the scenario asks for, and remembers what it saw.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "backends/sim/network.hpp"
#include "tests/sim/scenario.hpp"

namespace rl::sim {

class Target final : public Peer {
  public:
    Target(Network& network, const Scenario& scenario, uint64_t seed) : network_(network), scenario_(scenario), random_(seed) {}

    std::function<void()> interrupt;  // called when the scenario says so
    uint64_t seen = 0;                // whole requests read
    uint64_t answered = 0;            // whole final answers written
    uint64_t octets_read = 0, octets_written = 0, body_octets = 0;
    std::map<std::string, uint64_t> seen_by_path;
    std::vector<uint64_t> arrivals;  // instants of whole requests
    uint64_t malformed = 0;          // requests that made no sense: octets were lost, doubled or changed

    void on_connect(PeerEnd end) override { conns_[end.link()]; }
    void on_octets(PeerEnd end, std::span<const char> octets) override {
        Conn& conn = conns_[end.link()];
        octets_read += octets.size();
        if (conn.over) return;
        conn.unread.append(octets.data(), octets.size());
        while (!conn.over && take_request(conn)) answer(end, conn);
    }

  private:
    struct Conn {
        std::string unread;
        uint64_t quiet_until = 0;  // the answers of one connection leave in order
        bool over = false, head_only = false;
    };

    bool take_request(Conn& conn) {
        const size_t head_end = conn.unread.find("\r\n\r\n");
        if (head_end == std::string::npos) return false;
        const std::string head = conn.unread.substr(0, head_end + 2);
        size_t body = 0;
        if (const size_t at = head.find("\r\nContent-Length: "); at != std::string::npos) body = std::stoul(head.substr(at + 18));
        if (conn.unread.size() < head_end + 4 + body) return false;
        const bool post = head.starts_with("POST /"), get = head.starts_with("GET /");
        conn.head_only = head.starts_with("HEAD /");
        const size_t path_at = head.find(' '), path_end = head.find(" HTTP/1.1\r\nHost: sim\r\n");
        const std::string_view content = std::string_view(conn.unread).substr(head_end + 4, body);
        const bool sound = (post || get || conn.head_only) && path_end != std::string::npos && post == (body > 0) &&
                           content.find_first_not_of('b') == std::string_view::npos;
        if (!sound) ++malformed;
        if (path_end != std::string::npos) ++seen_by_path[head.substr(path_at + 1, path_end - path_at - 1)];
        conn.unread.erase(0, head_end + 4 + body);
        ++seen;
        arrivals.push_back(network_.now());
        if (seen == scenario_.interrupt_after) interrupt();
        return true;
    }

    // The octets of one answer. last: it says that the connection ends behind it.
    std::string render(const Conn& conn, bool last, bool endless) {
        std::string out;
        if (random_.chance(scenario_.informational)) out += "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
        out += random_.chance(scenario_.not_found) ? "HTTP/1.1 404 Not Found\r\n" : "HTTP/1.1 200 OK\r\n";
        const size_t size = random_.chance(scenario_.large) ? random_.between(16'000, 300'000) : random_.below(300);
        const std::string body(size, 'x');
        if (last) out += "Connection: close\r\n";
        if (!conn.head_only) body_octets += size;
        if (endless) {
            out += "\r\n";
            if (!conn.head_only) out += body;
        } else if (random_.chance(scenario_.chunked)) {
            out += "Transfer-Encoding: chunked\r\n\r\n";
            if (conn.head_only) return out;
            for (size_t at = 0; at < size;) {
                const size_t n = random_.between(1, size - at);
                char line[24];
                std::snprintf(line, sizeof line, "%zx\r\n", n);
                out += line + body.substr(at, n) + "\r\n";
                at += n;
            }
            out += "0\r\n\r\n";
        } else {
            out += "Content-Length: " + std::to_string(size) + "\r\n\r\n";
            if (!conn.head_only) out += body;
        }
        return out;
    }

    void write(PeerEnd end, std::string_view octets, uint64_t delay) {
        octets_written += octets.size();
        end.write({octets.data(), octets.size()}, delay);
    }

    void answer(PeerEnd end, Conn& conn) {
        if (random_.chance(scenario_.mute)) {
            conn.over = true;
            return;
        }
        const uint64_t now = network_.now();
        conn.quiet_until = std::max(conn.quiet_until, now + random_.below(scenario_.delay_ns_max + 1));
        const uint64_t delay = conn.quiet_until - now;
        if (random_.chance(scenario_.garbage)) return write(end, "what is this?\r\n\r\n", delay);
        const bool announced = random_.chance(scenario_.close_after);
        const bool endless = random_.chance(scenario_.endless);
        const std::string text = render(conn, announced || endless, endless);
        if (random_.chance(scenario_.cut)) {
            write(end, std::string_view(text).substr(0, random_.below(text.size())), delay);
            conn.over = true;
            // An endless body that ends early is a whole answer all the same, unless it ends by a reset.
            return endless || random_.chance(0.5) ? end.reset(delay) : end.close(delay);
        }
        ++answered;
        write(end, text, delay);
        if (!announced && !endless && !random_.chance(scenario_.slam)) return;
        conn.over = true;
        // What was announced may be left to the client to do.
        if (announced && !endless && random_.chance(0.2)) return;
        random_.chance(0.5) ? end.finish(delay) : end.close(delay);
    }

    Network& network_;
    const Scenario& scenario_;
    Random random_;
    std::map<uint32_t, Conn> conns_;
};

}  // namespace rl::sim
