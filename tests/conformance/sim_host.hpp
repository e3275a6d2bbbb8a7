// Plays scripts in the simulated network.
#pragma once

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "backends/sim/network.hpp"
#include "tests/conformance/script.hpp"

namespace rl::conformance {

class SimHost final : public PeerHost {
  public:
    explicit SimHost(sim::Network& network) : network_(network) {}

    bool has(Family) override { return true; }
    engine::Endpoint listen(const Script& script, Family family) override {
        peers_.push_back(std::make_unique<ScriptPeer>(*this, script));
        return network_.listen(*peers_.back(), family == Family::ipv4 ? sim::Network::Family::ipv4 : sim::Network::Family::ipv6);
    }
    engine::Endpoint refusing() override { return network_.refusing(); }
    engine::Endpoint silent() override { return network_.silent(); }
    std::vector<PeerReport> reports() override { return {reports_.begin(), reports_.end()}; }
    bool starve_descriptors(bool on) override {
        network_.faults().descriptors_max = on ? 0 : UINT32_MAX;
        return true;
    }

  private:
    struct Progress {
        size_t step = 0;
        uint64_t done = 0, written = 0;
        std::string unread;
        bool waiting = false;
        PeerReport* report = nullptr;
    };

    class ScriptPeer final : public sim::Peer {
      public:
        ScriptPeer(SimHost& host, const Script& script) : host_(host), script_(script) {}

        void on_connect(sim::PeerEnd end) override {
            host_.reports_.emplace_back();
            progress_[end.link()].report = &host_.reports_.back();
            for (const Step& step : script_) {
                if (step.kind == Step::Kind::read && step.gap_ns > 0) end.read_slowly(step.portion, step.gap_ns);
            }
            advance(end);
        }
        void on_octets(sim::PeerEnd end, std::span<const char> octets) override {
            progress_[end.link()].unread.append(octets.data(), octets.size());
            advance(end);
        }
        void on_timer(sim::PeerEnd end, uint64_t) override {
            progress_[end.link()].waiting = false;
            advance(end);
        }
        void on_gone(sim::PeerEnd end, sim::IoError) override { progress_[end.link()].report->client_gone = true; }

      private:
        void consume(Progress& p, uint64_t n) {
            if (!octets_match(Stream::to_peer, p.report->received, {p.unread.data(), n})) p.report->in_order = false;
            p.report->received += n;
            p.unread.erase(0, n);
        }
        void pause(sim::PeerEnd end, Progress& p, uint64_t ns) {
            p.waiting = true;
            end.after(ns, 0);
        }
        void advance(sim::PeerEnd end) {
            Progress& p = progress_[end.link()];
            while (!p.waiting && p.step < script_.size() && run_step(end, p)) {
                ++p.step;
                p.done = 0;
            }
            if (p.step == script_.size()) consume(p, p.unread.size());
        }
        // True once the step is over.
        bool run_step(sim::PeerEnd end, Progress& p) {
            const Step& step = script_[p.step];
            switch (step.kind) {
                case Step::Kind::send:
                    while (p.done < step.octets && !p.waiting) {
                        uint64_t n = step.octets - p.done;
                        if (step.portion > 0) n = std::min(n, host_.network_.random().between(1, step.portion));
                        end.write(octets_of(Stream::to_client, p.written, n));
                        p.written += n;
                        p.done += n;
                        if (step.gap_ns > 0) pause(end, p, step.gap_ns);
                    }
                    return p.done == step.octets;
                case Step::Kind::read: {
                    const uint64_t n = std::min<uint64_t>(step.octets - p.done, p.unread.size());
                    consume(p, n);
                    p.done += n;
                    return p.done == step.octets;
                }
                case Step::Kind::wait:
                    if (p.done > 0) return true;
                    p.done = 1;
                    pause(end, p, step.gap_ns);
                    return false;
                case Step::Kind::finish:
                    end.finish();
                    return true;
                case Step::Kind::close:
                    end.close();
                    return true;
                case Step::Kind::reset:
                    end.reset();
                    return true;
            }
            return true;
        }

        SimHost& host_;
        Script script_;
        std::map<uint32_t, Progress> progress_;
    };

    sim::Network& network_;
    std::vector<std::unique_ptr<ScriptPeer>> peers_;
    std::deque<PeerReport> reports_;
};

}  // namespace rl::conformance
