// One entry is two lines: what it is, and where it lies.
#include "tools/ringload/list.hpp"

#include <algorithm>
#include <string_view>

#include "core/module/backend_loader.hpp"
#include "core/verdict/exit_code.hpp"
#include "tools/ringload/cli.hpp"
#include "tools/ringload/help.hpp"
#include "tools/ringload/parts.hpp"
#include "tools/ringload/plan.hpp"

namespace rl::cli {
namespace {

constexpr std::string_view kUsage =
    "Usage: ringload list [backends|plugins] [--plugin-path DIR] [--BACKEND.OPTION=VALUE]\n\n"
    "Shows each backend with what a run would use of it here, feature by feature, which of them --backend auto takes\n"
    "and why, each plug-in, and the file of each. A file behind an earlier one of the same name is marked as shadowed;\n"
    "one that does not load is shown with the reason.\n";

constexpr size_t kNameWidth = 14;

struct Section {
    std::string_view kind, title;
};
constexpr Section kSections[] = {
    {"backend", "Backends, best first"}, {"source", "Sources (--source)"}, {"pacer", "Pacers (--pacer)"}, {"reporter", "Reporters (-o)"}};

// A label before the first line, the others below it.
std::string block(const std::string& indent, std::string_view label, std::string_view lines) {
    std::string text;
    for (size_t begin = 0; begin < lines.size();) {
        const size_t end = std::min(lines.find('\n', begin), lines.size());
        text += indent;
        text += text.size() == indent.size() ? std::string(label) : std::string(label.size(), ' ');
        text += std::string(lines.substr(begin, end - begin)) + '\n';
        begin = end + 1;
    }
    return text;
}

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
    text += block(indent, "offers: ", listing.features);
    if (!listing.problem.empty()) text += indent + "problem: " + listing.problem + '\n';
    text += indent + listing.path;
    if (!listing.origin.empty()) text += " (" + listing.origin + ")";
    return text + '\n';
}

// What --backend auto takes, and what stood in the way of something better.
std::string automatic_choice(std::span<const engine::OptionValue> given, const module::SearchPath& path) {
    const auto selected = module::select_backend("auto", given, path);
    if (!selected) return "  --backend auto fails: " + selected.error().text + '\n';
    std::string text = "  --backend auto takes " + std::string(selected->module().name) + ": the best that works here\n";
    for (const std::string& note : selected->notes) text += "    " + note + '\n';
    return text;
}

}  // namespace

std::string list_page(std::span<const module::Listing> listings, Listed what, std::string_view automatic) {
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
        if (backend) page += automatic;
    }
    return page;
}

int list_command(std::span<const std::string> arguments, const Program& program) {
    auto line = scan(arguments, {}, DottedNames::tolerated);
    if (!line) return complain(line.error());
    if (line->has(OptionId::help)) return print(kUsage);
    for (const Given& given : line->options) {
        if (given.spec->id == OptionId::plugin_path) continue;
        return complain(wrong_value(given, "ringload list takes no option but --plugin-path, those of backends and --help"));
    }
    Listed what = Listed::everything;
    for (const std::string& word : line->urls) {
        if (word != "backends" && word != "plugins") {
            return complain(failure(Error::usage, "list " + word + ": there is nothing of that name to list; write backends or plugins"));
        }
        what = word == "backends" ? Listed::backends : Listed::plugins;
    }
    if (line->urls.size() > 1) return complain(failure(Error::usage, "list: write backends, or plugins, or nothing for both"));
    const auto path = search_path_of(*line, program.linked_backends);
    if (!path) return complain(path.error());
    auto tables = tables_for(*line, {}, *path);
    if (!tables) return complain(tables.error());
    line = scan(arguments, *tables, DottedNames::checked);
    if (!line) return complain(line.error());
    const std::vector<module::Listing> all = module::list_all(*path, line->plugin_options);
    return print(list_page(all, what, automatic_choice(line->plugin_options, *path)));
}

}  // namespace rl::cli
