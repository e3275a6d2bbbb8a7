// rl-plugin-check FILE [--NAME.OPTION=VALUE]...: is this object a plug-in that ringload can use?
//
// Loads it in a process of its own, prints what it declares, takes every plug-in in it through a short life, and judges. Exit 0: fit.
// 1: it loads and breaks the contract. 2: it cannot be loaded, or the command line is wrong.
#include <cstdio>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/path.hpp"
#include "core/base/process.hpp"
#include "tools/rl_plugin_check/isolation.hpp"
#include "tools/rl_plugin_check/lent_host.hpp"
#include "tools/rl_plugin_check/life_cycle.hpp"

namespace rl::plugin_check {
namespace {

constexpr int kFit = 0, kUnfit = 1, kRefused = 2;
constexpr const char* kUsage =
    "usage: rl-plugin-check FILE [--NAME.OPTION=VALUE]...\n"
    "Loads one plug-in object, prints what it declares, takes it through a short life and judges it.\n"
    "Exit status: 0 fit, 1 it breaks the contract of ringload/plugin.h, 2 it cannot be loaded or the command line is wrong.\n";

struct Arguments {
    std::string file;
    std::vector<engine::OptionValue> options;
};

Result<Arguments> parse(const std::vector<std::string>& words) {
    Arguments arguments;
    for (size_t i = 1; i < words.size(); ++i) {
        const std::string_view word = words[i];
        if (!word.starts_with("--")) {
            if (!arguments.file.empty()) return failure(Error::usage, std::string(word) + ": one file at a time");
            arguments.file = word;
            continue;
        }
        const size_t dot = word.find('.'), equals = word.find('=');
        if (dot == std::string_view::npos || equals == std::string_view::npos || equals < dot) {
            return failure(Error::usage, std::string(word) + ": unknown option; a plug-in's own are --NAME.OPTION=VALUE");
        }
        arguments.options.push_back({std::string(word.substr(2, dot - 2)), std::string(word.substr(dot + 1, equals - dot - 1)),
                                     std::string(word.substr(equals + 1))});
    }
    if (arguments.file.empty()) return failure(Error::usage, "no file given; usage: rl-plugin-check FILE [--NAME.OPTION=VALUE]...");
    if (!is_place(arguments.file)) arguments.file.insert(0, "./");
    return arguments;
}

void print_options(const module::OptionTable& table) {
    for (uint32_t i = 0; i < table.count; ++i) {
        const rl_option& option = table.at(i);
        const std::string_view type = module::type_name(option.type);
        std::printf("  --%s.%s=%s\n      %.*s%s%s%s: %s\n", table.owner.data(), option.name,
                    option.metavar == nullptr ? "VALUE" : option.metavar, static_cast<int>(type.size()), type.data(),
                    (option.flags & RL_OPTION_REQUIRED) != 0 ? ", required" : "", option.def == nullptr ? "" : ", default ",
                    option.def == nullptr ? "" : option.def, option.help);
    }
}

void print_descriptor(const rl_plugin& plugin) {
    const std::string_view kind = module::kind_name(static_cast<module::Kind>(plugin.kind));
    std::printf("%.*s %s %s - %s\n", static_cast<int>(kind.size()), kind.data(), plugin.name, plugin.version, plugin.summary);
    std::printf("  plug-in ABI %u.%u, license %s%s%s\n", unsigned{plugin.abi_major}, unsigned{plugin.abi_minor}, plugin.license,
                plugin.build[0] == '\0' ? "" : ", build ", plugin.build);
    print_options(module::table_of(plugin));
}

Result<std::string> live_as_its_kind(const module::LoadedPlugin& plugin, const module::BoundOptions& options, const rl_host& host,
                                     Progress& progress) {
    switch (static_cast<module::Kind>(plugin.plugin->kind)) {
        case module::Kind::source:
            return live_as_source(plugin, options, host, progress);
        case module::Kind::pacer:
            return live_as_pacer(plugin, options, host, progress);
        case module::Kind::reporter:
            break;
    }
    return live_as_reporter(plugin, options, host, progress);
}

Result<std::string> live(const module::LoadedPlugin& plugin, const module::BoundOptions& options, Progress& progress) {
    const LentHost host(plugin.plugin->name);
    auto life = live_as_its_kind(plugin, options, *host.get(), progress);
    const int64_t kept = host.blocks();
    if (!life || kept == 0) return life;
    return broken("close() returned and " + std::to_string(kept) + (kept == 1 ? " block" : " blocks") +
                  " of host->alloc() had not been given to host->free()");
}

int complain(const Arguments& arguments, const std::string& what, int code) {
    std::fflush(stdout);
    std::fprintf(stderr, "rl-plugin-check: %s: %s\n", arguments.file.c_str(), what.c_str());
    return code;
}

// In the child.
int check(const Arguments& arguments, Progress& progress) {
    auto plugins = module::load_plugin_file({arguments.file, "given as a path"});
    if (!plugins) {
        std::fprintf(stderr, "rl-plugin-check: %s\n", plugins.error().text.c_str());
        return kRefused;
    }
    std::vector<std::string> owners;
    for (const module::LoadedPlugin& one : *plugins) owners.emplace_back(one.plugin->name);
    if (auto known = module::check_owners(arguments.options, owners); !known) return complain(arguments, known.error().text, kRefused);
    if (auto named = module::check_file_name(arguments.file, *plugins); !named) return complain(arguments, named.error().text, kUnfit);
    for (const module::LoadedPlugin& one : *plugins) {
        print_descriptor(*one.plugin);
        std::fflush(stdout);
        auto options = module::bind_options(*one.plugin, arguments.options);
        if (!options) return complain(arguments, options.error().text, kRefused);
        auto life = live(one, *options, progress);
        if (!life) return complain(arguments, one.plugin->name + std::string(": ") + life.error().text, kUnfit);
        std::printf("  fit: %s\n", life->c_str());
    }
    std::puts("not checked: system calls, locks");
    return kFit;
}

int run(std::vector<std::string> words) {
    Progress* const shared = shared_with_parent(words);
    if (words.size() == 2 && (words[1] == "--help" || words[1] == "-h")) {
        std::fputs(kUsage, stdout);
        return kFit;
    }
    const auto arguments = parse(words);
    if (!arguments) {
        std::fprintf(stderr, "rl-plugin-check: %s\n", arguments.error().text.c_str());
        return kRefused;
    }
    if (shared != nullptr) return check(*arguments, *shared);
    const auto code = run_apart(words, [&](Progress& progress) { return check(*arguments, progress); });
    if (code) return *code;
    return complain(*arguments, code.error().text, code.error().code == Error::plugin ? kUnfit : kRefused);
}

}  // namespace
}  // namespace rl::plugin_check

int main(int count, char** words) {
    try {
        return rl::plugin_check::run(rl::command_words(count, words));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rl-plugin-check: %s\n", error.what());
        return rl::plugin_check::kRefused;
    }
}
