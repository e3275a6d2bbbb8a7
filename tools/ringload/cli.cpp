// Every name and alias is registered with Boost as an option of its own and led back to the table by its key.
#include "tools/ringload/cli.hpp"

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/options_description.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/value_semantic.hpp>
#include <map>
#include <set>
#include <utility>

#include "tools/ringload/habits.hpp"
#include "tools/ringload/nearest.hpp"

namespace po = boost::program_options;

namespace rl::cli {
namespace {

constexpr int kStyle = po::command_line_style::allow_long | po::command_line_style::long_allow_adjacent |
                       po::command_line_style::long_allow_next | po::command_line_style::allow_short |
                       po::command_line_style::short_allow_adjacent | po::command_line_style::short_allow_next |
                       po::command_line_style::allow_sticky | po::command_line_style::allow_dash_for_short;

// Boost owns what is returned. An optional value is a value to Boost: prepared() writes it out where it was left out.
const po::value_semantic* semantic_of(ValueType type) {
    if (type == ValueType::none) return new po::untyped_value(true);
    return po::value<std::string>();
}

// What Boost is told, and the way back from its keys.
struct Names {
    po::options_description boost;
    std::map<std::string, std::string, std::less<>> bare;         // words whose value may be left out -> the same with it
    std::set<std::string, std::less<>> before_value;              // words behind which a value stands: "--data", "-b"
    std::map<std::string, const OptionSpec*, std::less<>> specs;  // by Boost's key: "threads", "-v"
    std::map<std::string, std::pair<std::string, std::string>, std::less<>> dotted;  // "jsonl.path" -> owner, option
    std::vector<std::string> known;                                                  // long names, for suggestions
    std::map<std::string, uint32_t, std::less<>> owners;  // whose tables are known: plug-in or backend -> how many options it has

    void add(const std::string& boost_name, const std::string& key, const OptionSpec& spec) {
        boost.add_options()(boost_name.c_str(), semantic_of(spec.type), "");
        specs.emplace(key, &spec);
        if (key[0] != '-' && spec.shown != Shown::hidden) known.push_back(key);
        if (spec.type > ValueType::optional) {
            before_value.insert(key[0] == '-' ? key : "--" + key);
            if (spec.short_name != 0) before_value.insert(std::string("-") + spec.short_name);
        }
        if (spec.type != ValueType::optional) return;
        if (key[0] != '-') bare.emplace("--" + key, "--" + key + '=' + std::string(spec.def));
        if (spec.short_name != 0)
            bare.emplace(std::string("-") + spec.short_name, std::string("-") + spec.short_name + std::string(spec.def));
    }
};

void add_core(Names& names) {
    for (const OptionSpec& spec : option_table()) {
        const std::string letter = spec.short_name == 0 ? "" : std::string(1, spec.short_name);
        const std::string name(spec.name);
        names.add(letter.empty() ? name : name + ',' + letter, name.empty() ? '-' + letter : name, spec);
        for (const std::string_view alias : words(spec.aliases)) {
            const std::string other(alias);
            if (alias.size() == 1) {
                names.add(',' + other, '-' + other, spec);
            } else {
                names.add(other, other, spec);
            }
        }
    }
}

void add_table(Names& names, const module::OptionTable& table) {
    names.owners[std::string(table.owner)] += table.count;
    for (uint32_t i = 0; i < table.count; ++i) {
        const rl_option& option = table.at(i);
        const std::string key = std::string(table.owner) + '.' + option.name;
        if (!names.dotted.emplace(key, std::pair(std::string(table.owner), std::string(option.name))).second) continue;
        names.boost.add_options()(key.c_str(), po::value<std::string>(), "");
        if (option.type == RL_OPTION_BOOL) {
            names.bare.emplace("--" + key, "--" + key + "=true");
        } else {
            names.before_value.insert("--" + key);
        }
        names.known.push_back(key);
    }
}

Failure usage(std::string text) { return failure(Error::usage, std::move(text)); }

// Boost refuses "--data=" although an empty value is one: as two words it passes. And it would take the next word for a value that
// was left out, so that such a value is written out. But what stands where a value belongs is that value: such a word is joined to
// its option, since Boost would refuse it.
Result<std::vector<std::string>> prepared(std::span<const std::string> arguments, const Names& names) {
    std::vector<std::string> out;
    bool options_over = false, value_next = false;
    for (const std::string& word : arguments) {
        if (std::exchange(value_next, !value_next && !options_over && names.before_value.contains(word))) {
            if (names.bare.contains(word)) {
                out.back() += (out.back().starts_with("--") ? "=" : "") + word;
            } else {
                out.push_back(word);
            }
            continue;
        }
        options_over = options_over || word == "--";
        if (!options_over && word.starts_with("--=")) return usage("--: unknown option; ringload --help=all lists them");
        const auto complete = names.bare.find(word);
        const bool ends_empty = word.size() > 3 && word.starts_with("--") && word.find('=') == word.size() - 1;
        const std::string name = ends_empty ? word.substr(2, word.size() - 3) : "";
        const auto spec = names.specs.find(name);
        const bool wants_value = (spec != names.specs.end() && spec->second->type > ValueType::optional) || names.dotted.contains(name);
        if (!options_over && complete != names.bare.end()) {
            out.push_back(complete->second);
        } else if (!options_over && wants_value) {
            out.push_back("--" + name);
            out.emplace_back();
        } else {
            out.push_back(word);
        }
    }
    return out;
}

// "-t" for "-t4", "--threads" for "--threads=4".
std::string as_typed(const po::option& option, const std::string& fallback) {
    if (option.original_tokens.empty()) return fallback;
    const std::string& token = option.original_tokens[0];
    if (token.starts_with("--")) return token.substr(0, token.find('='));
    if (token.size() > 1 && token[0] == '-') return token.substr(0, 2);
    return fallback;
}

// --OWNER.option of somebody who is there and has no such option.
Failure unknown_option_of(const std::string& owner, uint32_t options, const std::string& name, const Names& names) {
    if (options == 0) return usage("--" + name + ": unknown option; " + owner + " has no options");
    std::vector<std::string> own;
    for (const auto& [key, option] : names.dotted) {
        if (option.first == owner) own.push_back(key);
    }
    const std::string hint = did_you_mean(name, own, "--");
    return usage("--" + name + ": unknown option" + (hint.empty() ? "; see ringload --help=" + owner : hint));
}

Failure unknown_option(const po::option& option, const Names& names) {
    const std::string typed = as_typed(option, "--" + option.string_key);
    const std::string name = typed.starts_with("--") ? typed.substr(2) : "";
    const auto owner = names.owners.find(name.substr(0, name.find('.')));
    if (owner != names.owners.end() && name != owner->first) return unknown_option_of(owner->first, owner->second, name, names);
    const std::string hint = name.empty() ? "" : did_you_mean(name, names.known, "--");
    return usage(typed + ": unknown option" + (hint.empty() ? "; ringload --help=all lists them" : hint));
}

// The option that Boost complains of, as typed: Boost knows only the first of its names.
std::string complained_of(std::string name, std::span<const std::string> words, const Names& names) {
    name.erase(0, name.find_first_not_of('-'));
    auto wanted = names.specs.find(name);
    if (wanted == names.specs.end()) wanted = names.specs.find('-' + name);
    for (size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        const bool is_long = word.starts_with("--");
        if (!is_long && (word.size() < 2 || word[0] != '-')) continue;
        const std::string typed = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
        const bool last = i + 1 == words.size() || words[i + 1].starts_with('-');
        if (typed == word && !last) continue;
        for (const auto& [key, spec] : names.specs) {
            const bool letter = !is_long && spec->short_name == typed[1];
            const bool same = letter || (is_long ? "--" + key == typed : key == typed);
            if (same && wanted != names.specs.end() && spec == wanted->second) return typed;
        }
    }
    return "--" + name;
}

// Boost's own sentences differ between its versions, so only the kind of its exception and the option are used.
Failure syntax_failure(const po::invalid_command_line_syntax& error, std::span<const std::string> words, const Names& names) {
    const std::string typed = complained_of(error.get_option_name(), words, names);
    switch (error.kind()) {
        case po::invalid_syntax::missing_parameter:
        case po::invalid_syntax::empty_adjacent_parameter:
            return usage(typed + (typed == "-q" ? ": needs a rate in requests per second; for no output use --quiet" : ": needs a value"));
        case po::invalid_syntax::extra_parameter:
            return usage(typed + ": takes no value");
        default:
            return usage(typed + ": cannot be read; ringload --help shows how options are written");
    }
}

Result<CommandLine> collect(const po::parsed_options& parsed, const Names& names, DottedNames dotted) {
    CommandLine line;
    for (const po::option& option : parsed.options) {
        if (option.position_key >= 0) {
            line.urls.insert(line.urls.end(), option.value.begin(), option.value.end());
            continue;
        }
        const std::string value = option.value.empty() ? "" : option.value[0];
        if (!option.original_tokens.empty() && option.original_tokens[0].starts_with("---")) return unknown_option(option, names);
        const auto spec = names.specs.find(option.string_key);
        if (!option.unregistered && spec != names.specs.end()) {
            line.options.push_back({spec->second, value, as_typed(option, "--" + option.string_key)});
            continue;
        }
        const auto owned = names.dotted.find(option.string_key);
        if (!option.unregistered && owned != names.dotted.end()) {
            line.plugin_options.push_back({owned->second.first, owned->second.second, value});
            continue;
        }
        const size_t dot = option.string_key.find('.');
        const bool has_owner = dot != std::string::npos && dot > 0 && dot + 1 < option.string_key.size();
        if (!has_owner || dotted == DottedNames::checked) return unknown_option(option, names);
        line.plugin_options.push_back({option.string_key.substr(0, dot), option.string_key.substr(dot + 1), value});
    }
    return line;
}

}  // namespace

const Given* CommandLine::last(OptionId id) const noexcept {
    const auto found = std::find_if(options.rbegin(), options.rend(), [id](const Given& given) { return given.spec->id == id; });
    return found == options.rend() ? nullptr : &*found;
}

Result<CommandLine> scan(std::span<const std::string> arguments, std::span<const module::OptionTable> tables, DottedNames dotted) {
    Names names;
    try {
        add_core(names);
        for (const module::OptionTable& table : tables) add_table(names, table);
        po::positional_options_description urls;
        urls.add("URL", -1);
        const auto words = prepared(arguments, names);
        if (!words) return words.error();
        po::command_line_parser parser(*words);
        parser.options(names.boost).positional(urls).style(kStyle).allow_unregistered();
        auto line = collect(parser.run(), names, dotted);
        if (line) RL_TRY(refuse_foreign(*line));
        return line;
    } catch (const po::invalid_command_line_syntax& error) {
        return syntax_failure(error, arguments, names);
    } catch (const po::error& error) {
        return usage(std::string("the command line cannot be read: ") + error.what());
    }
}

std::vector<std::string> owners_of(const CommandLine& line) {
    std::vector<std::string> owners;
    for (const engine::OptionValue& given : line.plugin_options) {
        if (std::find(owners.begin(), owners.end(), given.owner) == owners.end()) owners.push_back(given.owner);
    }
    return owners;
}

}  // namespace rl::cli
