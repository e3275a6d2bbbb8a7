// A request source that hands out what a test has written down, and keeps the books on what comes back. One thread.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <vector>

#include "ringload/plugin.h"

namespace rl::testing {

class ScriptedSource {
  public:
    // flags: rl_source_flags.
    explicit ScriptedSource(uint32_t flags = 0) {
        ops_.size = sizeof ops_;
        ops_.flags = flags;
        ops_.worker_open = [](void* shared, const rl_worker*, void** self, rl_error*) { return *self = shared, 0; };
        ops_.fill = [](void* self, rl_request* out, uint32_t max) { return me(self).fill(out, max); };
        ops_.recycle = [](void* self, const uint64_t* cookies, uint32_t n) { me(self).recycle(cookies, n); };
        ops_.responses = [](void* self, const rl_response* in, uint32_t n) { me(self).responses(in, n); };
        ops_.worker_close = [](void*) {};
    }
    ScriptedSource(const ScriptedSource&) = delete;
    ScriptedSource& operator=(const ScriptedSource&) = delete;

    rl_source_ops& ops() noexcept { return ops_; }

    // What the next calls of fill() return: a number of requests, 0, RL_END, RL_FAIL, or nonsense. Afterwards `then`, for good.
    std::deque<int32_t> script;
    int32_t then = 0;
    // Due times of the requests to come; RL_DUE_NONE where there is none.
    std::deque<int64_t> due;
    // Heads of the requests to come; "R" and the cookie where there is none.
    std::deque<std::string> heads;

    uint64_t fills = 0;
    uint32_t max_seen = 0;
    uint64_t handed_out = 0;                 // cookies are 0 ... handed_out - 1
    std::map<uint64_t, uint32_t> came_back;  // cookie, times
    std::vector<rl_response> answers;
    std::vector<size_t> recycle_sizes;
    bool recycled_before_told = false;  // with told_first: a cookie came back before its answer did
    bool told_first = false;

    // Every cookie that was handed out came back once.
    bool all_back() const {
        if (came_back.size() != handed_out) return false;
        for (const auto& [cookie, times] : came_back) {
            if (times != 1 || cookie >= handed_out) return false;
        }
        return true;
    }

  private:
    static ScriptedSource& me(void* self) { return *static_cast<ScriptedSource*>(self); }

    int32_t fill(rl_request* out, uint32_t max) {
        ++fills;
        max_seen = max;
        int32_t n = then;
        if (!script.empty()) {
            n = script.front();
            script.pop_front();
        }
        for (int32_t i = 0; i < n && i < static_cast<int32_t>(max); ++i) {
            std::string head = "R" + std::to_string(handed_out);
            if (!heads.empty()) {
                head = heads.front();
                heads.pop_front();
            }
            const std::string& kept = kept_.emplace_back(std::move(head));
            out[i] = rl_request{};
            out[i].head = reinterpret_cast<const uint8_t*>(kept.data());
            out[i].head_len = static_cast<uint32_t>(kept.size());
            out[i].cookie = handed_out++;
            out[i].due_ns = RL_DUE_NONE;
            if (!due.empty()) {
                out[i].due_ns = due.front();
                due.pop_front();
            }
        }
        return n;
    }
    void recycle(const uint64_t* cookies, uint32_t n) {
        recycle_sizes.push_back(n);
        for (uint32_t i = 0; i < n; ++i) {
            ++came_back[cookies[i]];
            bool told = false;
            for (const rl_response& answer : answers) told = told || answer.cookie == cookies[i];
            if (told_first && !told) recycled_before_told = true;
        }
    }
    void responses(const rl_response* in, uint32_t n) { answers.insert(answers.end(), in, in + n); }

    rl_source_ops ops_{};
    std::deque<std::string> kept_;  // heads stay where they are
};

}  // namespace rl::testing
