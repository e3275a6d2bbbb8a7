// What is sent: URL, method, header fields, body. What ringload itself must say about a message cannot be said by -H as well.
#include <algorithm>
#include <array>
#include <utility>

#include "core/http/url.hpp"
#include "tools/ringload/files.hpp"
#include "tools/ringload/plan.hpp"

namespace rl::cli {
namespace {

constexpr size_t kBodyMax = size_t{1} << 30;  // The ABI counts body bytes in 32 bits.
constexpr std::string_view kFormType = "application/x-www-form-urlencoded";
constexpr std::array<std::string_view, 7> kManaged = {"content-length", "transfer-encoding", "trailer",         "expect",
                                                      "upgrade",        "keep-alive",        "proxy-connection"};

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return out;
}

bool is_token(std::string_view text) {
    static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kMarks.find(c) != std::string_view::npos;
    });
}

std::string_view trimmed(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

Result<void> resolve_url(const CommandLine& line, engine::RunSpec& spec) {
    if (line.urls.empty()) return failure(Error::usage, "no URL given; write for example: ringload http://127.0.0.1:8080/");
    const std::string& text = line.urls[0];
    if (line.urls.size() > 1) {
        return failure(Error::usage, "two URLs given, " + http::without_credentials(text) + " and " +
                                         http::without_credentials(line.urls[1]) + ": a run has one target; leave one out");
    }
    for (const CommandSpec& command : command_table()) {
        if (command.name != text) continue;
        return failure(Error::usage, text + ": a command must be the first word; for a host of that name write http://" + text);
    }
    auto url = http::parse_url(text);
    if (!url) return url.error();
    spec.request.url = text;
    spec.request.target = url->target;
    spec.request.authority = url->authority;
    spec.secure = url->secure;
    spec.host = url->host;
    spec.port = url->port;
    return {};
}

// `earlier` is the use that a field before this one asked for; "" if there was none.
Result<void> set_connection(const CommandLine& line, const Given& given, std::string_view value, std::string& earlier,
                            engine::RequestSpec& request) {
    const std::string use = lower(value);
    if (use != "close" && use != "keep-alive")
        return wrong_value(given, "the Connection field is ringload's own but for close and keep-alive");
    if (use == "keep-alive" && line.has(OptionId::disable_keepalive))
        return wrong_value(given, "contradicts --disable-keepalive; leave one out");
    if (!earlier.empty() && use != earlier) return wrong_value(given, "contradicts Connection: " + earlier + " before it; leave one out");
    earlier = use;
    request.close_after = use == "close";
    return {};
}

Result<void> set_host(const Given& given, std::string_view value, engine::RequestSpec& request) {
    const bool plain = !value.empty() && value.find_first_of(" \t/?#@\\") == std::string_view::npos;
    if (!plain) return wrong_value(given, "a Host value is HOST or HOST:PORT");
    request.authority = std::string(value);
    return {};
}

Result<void> add_header(const CommandLine& line, const Given& given, std::string& connection_use, engine::RequestSpec& request) {
    const std::string_view text = given.value;
    for (const char c : text) {
        const auto octet = static_cast<unsigned char>(c);
        if ((octet < 0x20 && c != '\t') || octet == 0x7f) {
            return wrong_value(given, "a header field may not hold a line end or another control character");
        }
    }
    const size_t colon = text.find(':');
    if (colon == std::string_view::npos) return wrong_value(given, "a header field is written 'Name: value'");
    const std::string_view name = text.substr(0, colon);
    const std::string_view value = trimmed(text.substr(colon + 1));
    if (!is_token(name)) return wrong_value(given, "a field name is letters, digits and !#$%&'*+-.^_`|~, with no blank before the colon");
    const std::string plain = lower(name);
    if (plain == "host") return set_host(given, value, request);
    if (plain == "connection") return set_connection(line, given, value, connection_use, request);
    if (std::find(kManaged.begin(), kManaged.end(), plain) != kManaged.end()) {
        return wrong_value(given, std::string(name) + " is set by ringload itself and cannot be given");
    }
    request.headers.emplace_back(name, value);
    return {};
}

Result<std::string> read_body(const Given& given, const std::string& path) {
    if (path.empty()) return wrong_value(given, "a file name is needed");
    auto bytes = read_file(path, kBodyMax);
    if (!bytes) return wrong_value(given, bytes.error().text);
    if (bytes->size() > kBodyMax) {
        return wrong_value(given, (path == "-" ? "standard input" : path) + " is larger than a request body may be (1 GiB)");
    }
    return bytes;
}

bool is_body_source(OptionId id) {
    switch (id) {
        case OptionId::data:
        case OptionId::data_binary:
        case OptionId::body:
        case OptionId::body_file:
        case OptionId::body_stdin:
            return true;
        default:
            return false;
    }
}

// One piece of body; --data may come several times, everything else once.
Result<std::string> body_piece(const Given& given) {
    switch (given.spec->id) {
        case OptionId::data:
            if (given.value.starts_with('@')) {
                return wrong_value(given,
                                   "takes text; for a file use --data-binary " + given.value + ", for text that begins with @ use --body");
            }
            return given.value;
        case OptionId::data_binary:
            return given.value.starts_with('@') ? read_body(given, given.value.substr(1)) : Result<std::string>(given.value);
        case OptionId::body_file:
            return read_body(given, given.value);
        case OptionId::body_stdin:
            return read_body(given, "-");
        default:
            return given.value;
    }
}

Result<void> resolve_body(const CommandLine& line, engine::RequestSpec& request) {
    const Given* first = nullptr;
    for (const Given& given : line.options) {
        if (!is_body_source(given.spec->id)) continue;
        const bool joins = first != nullptr && first->spec->id == OptionId::data && given.spec->id == OptionId::data;
        if (first != nullptr && !joins) {
            return failure(Error::usage, first->typed + " and " + given.typed + ": a request has one body; leave one out");
        }
        first = &given;
    }
    if (first == nullptr) return {};
    for (const Given& given : line.options) {
        if (!is_body_source(given.spec->id)) continue;
        auto piece = body_piece(given);
        if (!piece) return piece.error();
        if (request.has_body) request.body += '&';
        request.has_body = true;
        request.body += *piece;
    }
    const bool form = first->spec->id == OptionId::data || first->spec->id == OptionId::data_binary;
    const bool typed = std::any_of(request.headers.begin(), request.headers.end(),
                                   [](const auto& header) { return lower(header.first) == "content-type"; });
    if (form && !typed) request.headers.emplace_back("Content-Type", kFormType);
    return {};
}

Result<void> resolve_method(const CommandLine& line, engine::RequestSpec& request) {
    const Given* const given = line.last(OptionId::method);
    request.method = request.has_body ? "POST" : "GET";
    if (given == nullptr) return {};
    if (!is_token(given->value)) return wrong_value(*given, "a method is one word, such as GET or POST");
    if (given->value == "CONNECT") return wrong_value(*given, "CONNECT makes a tunnel and is no request that can be repeated");
    const bool bodiless = given->value == "GET" || given->value == "HEAD" || given->value == "TRACE";
    if (bodiless && request.has_body) {
        return wrong_value(*given, "a " + given->value + " request has no body; choose another method or leave the body out");
    }
    request.method = given->value;
    return {};
}

}  // namespace

Result<void> resolve_request(const CommandLine& line, engine::RunSpec& spec) {
    RL_TRY(resolve_url(line, spec));
    std::string connection_use;
    for (const Given& given : line.options) {
        if (given.spec->id == OptionId::header) RL_TRY(add_header(line, given, connection_use, spec.request));
    }
    RL_TRY(resolve_body(line, spec.request));
    return resolve_method(line, spec.request);
}

}  // namespace rl::cli
