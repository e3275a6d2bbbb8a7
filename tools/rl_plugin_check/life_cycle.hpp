// Short scripted lives of a plug-in, one for each kind, which judge what it does against the contract in ringload/plugin.h.
//
// They run in a process of their own (main.cpp), on one thread. Failures name the function and what it did; nothing is printed here.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "core/base/result.hpp"
#include "core/engine/run_spec.hpp"
#include "core/module/option_binding.hpp"
#include "core/module/plugin_loader.hpp"

namespace rl::plugin_check {

// Where the life is, in memory that the parent process shares: it names the function in which the child died.
struct Progress {
    char step[32] = "loading";

    void enter(const char* name) noexcept;
};

// The run that every plug-in under test is told of.
engine::RunSpec scripted_run();

// What a life came to, in words: "128 requests by 2 workers". The host outlives it, and nothing of the plug-in is left at its end.
Result<std::string> live_as_source(const module::LoadedPlugin& plugin, const module::BoundOptions& options, const rl_host& host,
                                   Progress& progress);
Result<std::string> live_as_pacer(const module::LoadedPlugin& plugin, const module::BoundOptions& options, const rl_host& host,
                                  Progress& progress);
Result<std::string> live_as_reporter(const module::LoadedPlugin& plugin, const module::BoundOptions& options, const rl_host& host,
                                     Progress& progress);

inline Failure broken(std::string what) { return failure(Error::plugin, std::move(what)); }

// Calls one function of the plug-in. False if an exception came out of it.
template <class F>
bool contained(Progress& progress, const char* name, F&& call) noexcept {
    progress.enter(name);
    try {
        call();
        return true;
    } catch (...) {
        return false;
    }
}
inline Failure escaped(const char* name) { return broken(std::string(name) + " let an exception escape, which the plug-in ABI forbids"); }

}  // namespace rl::plugin_check
