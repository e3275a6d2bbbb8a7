// Names are short and few: the plain quadratic algorithm with three rows.
#include "tools/ringload/nearest.hpp"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

namespace rl::cli {

size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
    for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
    for (size_t i = 1; i <= a.size(); ++i) {
        row[0] = i;
        for (size_t j = 1; j <= b.size(); ++j) {
            const size_t changed = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = std::min({last[j] + 1, row[j - 1] + 1, changed});
            const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
        }
        std::swap(before, last);
        std::swap(last, row);
    }
    return last[b.size()];
}

std::string did_you_mean(std::string_view typed, std::span<const std::string> known, std::string_view prefix) {
    constexpr size_t kTypedMax = 64;  // Nothing that long is a slip of the finger.
    if (typed.size() > kTypedMax) return "";
    const size_t limit = std::max<size_t>(1, typed.size() / 3);
    size_t least = std::numeric_limits<size_t>::max();
    std::vector<std::string_view> best;
    for (const std::string& name : known) {
        const bool abbreviated = typed.size() >= 3 && std::string_view(name).starts_with(typed);
        const size_t distance = abbreviated ? 1 : edit_distance(typed, name);
        if (distance > limit || distance > least || distance >= name.size()) continue;
        if (distance < least) best.clear();
        least = distance;
        if (std::find(best.begin(), best.end(), name) == best.end()) best.push_back(name);
    }
    if (best.empty()) return "";
    std::string text = "; did you mean " + std::string(prefix) + std::string(best[0]);
    if (best.size() > 1) text += " (or " + std::string(prefix) + std::string(best[1]) + ")";
    return text + "?";
}

}  // namespace rl::cli
