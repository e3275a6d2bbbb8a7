// One entry is two lines: what it is, and where it lies.
#include "tools/ringload/list.hpp"

#include <algorithm>
#include <string_view>

#include "core/verdict/exit_code.hpp"
#include "tools/ringload/cli.hpp"
#include "tools/ringload/help.hpp"
#include "tools/ringload/plan.hpp"

namespace rl::cli {
namespace {

constexpr std::string_view kUsage =
    "Usage: ringload list [backends|plugins] [--plugin-path DIR]\n\n"
    "Shows each backend with what a run would use of it here, each plug-in, and the file of each. A file behind an\n"
    "earlier one of the same name is marked as shadowed; one that does not load is shown with the reason.\n";

constexpr size_t kNameWidth = 14;

struct Section {
    std::string_view kind, title;
};
constexpr Section kSections[] = {
    {"backend", "Backends, best first"}, {"source", "Sources (--source)"}, {"pacer", "Pacers (--pacer)"}, {"reporter", "Reporters (-o)"}};

std::string entry(const module::Listing& listing) {
    const std::string indent(kNameWidth + 4, ' ');
    std::string name = listing.name;
    name.append(name.size() < kNameWidth ? kNameWidth - name.size() : 1, ' ');
    std::string text = "  " + name + "  ";
    if (listing.kind == "backend") text += listing.usable ? "available   " : "unavailable ";
    text += listing.summary;
    if (listing.kind != "backend" && !listing.version.empty()) text += (listing.summary.empty() ? "" : ", ") + listing.version;
    if (listing.shadowed) text += " (shadowed: an earlier file of that name is used)";
    text += '\n';
    if (!listing.switches.empty()) text += indent + "uses: " + listing.switches + '\n';
    if (!listing.downgrade.empty()) text += indent + "lacks: " + listing.downgrade + '\n';
    if (!listing.problem.empty()) text += indent + "problem: " + listing.problem + '\n';
    text += indent + listing.path;
    if (!listing.origin.empty()) text += " (" + listing.origin + ")";
    return text + '\n';
}

}  // namespace

std::string list_page(std::span<const module::Listing> listings, Listed what) {
    std::string page;
    for (const Section& section : kSections) {
        const bool backend = section.kind == "backend";
        if (what != Listed::everything && backend != (what == Listed::backends)) continue;
        if (!page.empty()) page += '\n';
        page += std::string(section.title) + ":\n";
        const size_t before = page.size();
        for (const module::Listing& listing : listings) {
            if (listing.kind == section.kind) page += entry(listing);
        }
        if (page.size() == before) page += "  none found\n";
    }
    return page;
}

int list_command(std::span<const std::string> arguments, const Program& program) {
    auto line = scan(arguments, {}, DottedNames::checked);
    if (!line) return complain(line.error());
    if (line->has(OptionId::help)) return print(kUsage);
    for (const Given& given : line->options) {
        if (given.spec->id == OptionId::plugin_path) continue;
        return complain(wrong_value(given, "ringload list takes no option but --plugin-path and --help"));
    }
    Listed what = Listed::everything;
    for (const std::string& word : line->urls) {
        if (word != "backends" && word != "plugins") {
            return complain(failure(Error::usage, "list " + word + ": there is nothing of that name to list; write backends or plugins"));
        }
        what = word == "backends" ? Listed::backends : Listed::plugins;
    }
    if (line->urls.size() > 1) return complain(failure(Error::usage, "list: write backends, or plugins, or nothing for both"));
    std::vector<std::string> directories;
    for (const Given& given : line->options) directories.push_back(given.value);
    return print(list_page(module::list_all(module::make_search_path(directories, program.linked_backends)), what));
}

}  // namespace rl::cli
