// Which of the known names did the person mean? For messages only.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace rl::cli {

// Damerau-Levenshtein distance (optimal string alignment): insertions, deletions, substitutions and swaps of neighbours.
size_t edit_distance(std::string_view a, std::string_view b);

// "; did you mean --max-p99 (or --max-p90)?" with each name behind `prefix`; two names if they are equally near, and "" if nothing is
// near enough to be meant. An abbreviation counts as near.
std::string did_you_mean(std::string_view typed, std::span<const std::string> known, std::string_view prefix);

}  // namespace rl::cli
