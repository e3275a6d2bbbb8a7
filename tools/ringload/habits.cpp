// One case for each habit that the type of the value gives away.
#include "tools/ringload/habits.hpp"

#include "core/base/units.hpp"
#include "tools/ringload/cli.hpp"

namespace rl::cli {
namespace {

// A time with its unit, as opposed to a bare number.
bool is_time(std::string_view text) { return !text.empty() && text.back() >= 'a' && parse_duration(text).has_value(); }

std::string number_hint(const Given& given, std::string_view what) {
    std::string text = std::string("a ") + std::string(what) + " is a whole number";
    if (is_time(given.value)) text += "; for a run time use -d " + given.value;
    return text;
}

bool is_count(std::string_view text) { return parse_count(text, 0, UINT64_MAX).has_value(); }

// Nothing, or digits and perhaps a sign or a multiple: too large, too small, negative or empty, which the parser says best.
bool is_number_or_empty(std::string_view text) {
    if (text.size() > 1 && text[0] == '-') text.remove_prefix(1);
    if (text.size() > 1 && std::string_view("kMG").find(text.back()) != std::string_view::npos) text.remove_suffix(1);
    return text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool looks_like_time_or_number(std::string_view text) { return is_count(text) || parse_duration(text).has_value(); }

bool looks_like_body(std::string_view text) {
    return !text.empty() && (text[0] == '@' || text[0] == '{' || text[0] == '[' || text.find('=') != std::string_view::npos);
}

}  // namespace

Result<void> refuse_foreign(const CommandLine& line) {
    for (const Given& given : line.options) {
        switch (given.spec->id) {
            case OptionId::refused_script:
                return failure(Error::usage, given.typed +
                                                 ": Lua scripts are not supported; vary requests with a source plug-in (--source NAME, "
                                                 "see ringload list)");
            case OptionId::refused_r:
                return failure(Error::usage, "-r: means different things in other tools; use --rate, --requests or --reporter");
            case OptionId::refused_k:
                return failure(Error::usage,
                               "-k: means different things in other tools; to close each connection use --disable-keepalive "
                               "(kept connections are the default)");
            default:
                break;
        }
    }
    return {};
}

std::string habit_hint(const Given& given) {
    switch (given.spec->id) {
        case OptionId::threads:
            return is_number_or_empty(given.value) ? "" : number_hint(given, "thread count");
        case OptionId::connections:
            return is_number_or_empty(given.value) ? "" : number_hint(given, "connection count");
        case OptionId::requests:
            return is_number_or_empty(given.value) ? "" : number_hint(given, "request count");
        case OptionId::rate:
            if (given.typed == "-q" && !parse_rate(given.value) && !is_number_or_empty(given.value)) {
                return "is a rate in requests per second; for no output use --quiet";
            }
            return "";
        case OptionId::duration:
            if (!parse_duration(given.value) && looks_like_body(given.value)) return "is a run time; for a request body use --data";
            return "";
        case OptionId::output_format:
            if (given.typed == "-o" && looks_like_time_or_number(given.value)) {
                return "is an output format; for a timeout use -T " + given.value;
            }
            return "";
        default:
            return "";
    }
}

}  // namespace rl::cli
