// What there is on this machine: every backend and plug-in on the search path, where it was found, and what is wrong with it. This is
// the only place that opens files nobody asked for by name. Control thread only.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/engine/run_spec.hpp"
#include "core/module/search_path.hpp"
#include "ringload/plugin.h"

namespace rl::module {

struct Listing {
    std::string kind;  // "backend" "source" "pacer" "reporter"
    std::string name, version, summary;
    std::string path, origin;
    bool shadowed = false;              // an earlier file of the same name is used in its place
    bool usable = false;                // loads and, for a backend, its probe passes
    std::string problem;                // if not usable: why, in a sentence
    std::string switches;               // backends: what a run would use here
    std::string downgrade;              // backends: which better feature is missing and why
    std::string features;               // backends: what the system offers, a line for each feature
    int32_t priority = 0;               // backends
    const rl_plugin* plugin = nullptr;  // plug-ins that load: for their option tables
};

// Backends by priority, then sources, pacers and reporters by name. Backends are probed with the options that are given for them.
std::vector<Listing> list_all(const SearchPath& path, std::span<const engine::OptionValue> given = {});

}  // namespace rl::module
