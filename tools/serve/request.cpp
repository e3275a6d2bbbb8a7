// The head: request line, then field lines, each checked against the grammar before its meaning is looked at.
#include "tools/serve/request.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace rl::serve {
namespace {

constexpr std::array<std::string_view, kMethodCount> kMethods{"GET",   "HEAD",    "POST",  "PUT",     "DELETE",
                                                              "PATCH", "OPTIONS", "TRACE", "CONNECT", "other"};

// One fault is enough: the first one found is reported.
struct Complaint {
    int status = 400;
    std::string_view why;
};

constexpr std::array<bool, 256> make_token_table() {
    std::array<bool, 256> table{};
    for (const char c : std::string_view("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")) {
        table[static_cast<unsigned char>(c)] = true;
    }
    return table;
}
constexpr auto kToken = make_token_table();

bool is_token(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return kToken[static_cast<unsigned char>(c)]; });
}

bool is_field_value(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c == '\t' || (static_cast<unsigned char>(c) >= 0x20 && c != 0x7F); });
}

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

bool same_word(std::string_view text, std::string_view lower_word) {
    return std::equal(text.begin(), text.end(), lower_word.begin(), lower_word.end(), [](char a, char b) { return lower(a) == b; });
}

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

bool list_has(std::string_view list, std::string_view lower_word) {
    while (!list.empty()) {
        const size_t comma = std::min(list.find(','), list.size());
        if (same_word(trimmed(list.substr(0, comma)), lower_word)) return true;
        list.remove_prefix(std::min(comma + 1, list.size()));
    }
    return false;
}

Method method_of(std::string_view word) {
    const auto found = std::find(kMethods.begin(), kMethods.end() - 1, word);
    return static_cast<Method>(found - kMethods.begin());
}

// What the field lines have said so far.
struct Fields {
    size_t hosts = 0;
    std::optional<uint64_t> length;
    bool has_transfer_coding = false;
    bool chunked_last = false;
    bool says_close = false;
    bool says_keep_alive = false;
    bool expects_continue = false;
};

std::optional<Complaint> take_target(std::string_view target, RequestHead& head) {
    bool whole_url = false;
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (whole_url || target.substr(0, scheme.size()) != scheme) continue;
        whole_url = true;
        target.remove_prefix(scheme.size());
        target.remove_prefix(std::min(target.find_first_of("/?"), target.size()));
    }
    if (whole_url && target.empty()) target = "/";
    const bool asterisk = target == "*" && head.method == Method::options;
    const bool has_path = target.front() == '/' || (whole_url && target.front() == '?');
    if (!asterisk && !has_path) return Complaint{400, "the target is no path and no URL"};
    if (target.find('#') != std::string_view::npos) return Complaint{400, "the target holds a fragment"};
    const size_t mark = std::min(target.find('?'), target.size());
    head.path = mark == 0 ? "/" : target.substr(0, mark);
    head.query = target.substr(std::min(mark + 1, target.size()));
    return std::nullopt;
}

std::optional<Complaint> take_request_line(std::string_view line, RequestHead& head) {
    const size_t first = line.find(' ');
    const size_t last = line.rfind(' ');
    if (first == std::string_view::npos || first == last) return Complaint{400, "the request line is not METHOD TARGET VERSION"};
    const std::string_view method = line.substr(0, first);
    const std::string_view target = line.substr(first + 1, last - first - 1);
    const std::string_view version = line.substr(last + 1);
    if (!is_token(method)) return Complaint{400, "the method is no token"};
    const auto printable = [](char c) { return static_cast<unsigned char>(c) > 0x20 && static_cast<unsigned char>(c) < 0x7F; };
    if (target.empty() || !std::all_of(target.begin(), target.end(), printable)) {
        return Complaint{400, "the target is empty, or holds a blank, a control or an octet above 126"};
    }
    if (version.size() != 8 || version.substr(0, 5) != "HTTP/" || version[6] != '.') return Complaint{400, "the version is not HTTP/d.d"};
    if (version != "HTTP/1.1" && version != "HTTP/1.0") return Complaint{505, "only HTTP/1.0 and HTTP/1.1 are spoken here"};
    head.http_1_0 = version == "HTTP/1.0";
    head.method = method_of(method);
    if (head.method == Method::connect) return Complaint{501, "no tunnels here"};
    return take_target(target, head);
}

std::optional<Complaint> take_length(std::string_view value, Fields& fields) {
    uint64_t length = 0;
    const char* end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, length);
    if (value.empty() || error != std::errc() || stop != end) return Complaint{400, "Content-Length is no number"};
    if (fields.length) return Complaint{400, "Content-Length is given twice"};
    fields.length = length;
    return std::nullopt;
}

std::optional<Complaint> take_field(std::string_view line, Fields& fields) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return Complaint{400, "a field line has no colon"};
    const std::string_view name = line.substr(0, colon);
    const std::string_view value = trimmed(line.substr(colon + 1));
    if (!is_token(name)) return Complaint{400, "a field name is no token"};
    if (!is_field_value(value)) return Complaint{400, "a field value holds a control octet"};
    if (same_word(name, "host")) {
        ++fields.hosts;
    } else if (same_word(name, "content-length")) {
        return take_length(value, fields);
    } else if (same_word(name, "transfer-encoding")) {
        if (fields.has_transfer_coding) return Complaint{400, "Transfer-Encoding is given twice"};
        fields.has_transfer_coding = true;
        fields.chunked_last = same_word(value, "chunked");
    } else if (same_word(name, "connection")) {
        fields.says_close = fields.says_close || list_has(value, "close");
        fields.says_keep_alive = fields.says_keep_alive || list_has(value, "keep-alive");
    } else if (same_word(name, "expect")) {
        if (!same_word(value, "100-continue")) return Complaint{417, "only 100-continue can be expected"};
        fields.expects_continue = true;
    }
    return std::nullopt;
}

std::optional<Complaint> conclude(const Fields& fields, RequestHead& head) {
    if (fields.hosts > 1) return Complaint{400, "Host is given twice"};
    if (fields.hosts == 0 && !head.http_1_0) return Complaint{400, "Host is missing"};
    if (fields.has_transfer_coding) {
        if (head.http_1_0) return Complaint{400, "Transfer-Encoding in HTTP/1.0"};
        if (fields.length) return Complaint{400, "Content-Length beside Transfer-Encoding"};
        if (!fields.chunked_last) return Complaint{501, "only the transfer coding chunked is known here"};
        head.body = BodyKind::chunked;
    } else if (fields.length.value_or(0) > 0) {
        head.body = BodyKind::length;
        head.body_bytes = *fields.length;
    }
    head.keep_alive = !fields.says_close && (!head.http_1_0 || fields.says_keep_alive);
    head.expects_continue = fields.expects_continue && !head.http_1_0 && head.body != BodyKind::none;
    return std::nullopt;
}

std::optional<Complaint> take_head(std::string_view text, RequestHead& head) {
    Fields fields;
    bool first = true;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        if (end == std::string_view::npos || end == 0 || text[end - 1] != '\r') return Complaint{400, "a line does not end in CR LF"};
        const std::string_view line = text.substr(0, end - 1);
        text.remove_prefix(end + 1);
        if (line.empty()) break;
        const auto complaint = first ? take_request_line(line, head) : take_field(line, fields);
        if (complaint) return complaint;
        first = false;
    }
    return conclude(fields, head);
}

}  // namespace

std::string_view method_name(Method method) { return kMethods[static_cast<size_t>(method)]; }

HeadReading read_head(std::string_view octets) {
    HeadReading reading;
    // RFC 9112 2.2: one empty line before a request is forgiven.
    const size_t blank = octets.substr(0, 2) == "\r\n" ? 2 : 0;
    const std::string_view rest = octets.substr(blank);
    // A bare LF pair also ends the search, so that such a head is refused instead of awaited for ever.
    const size_t strict = rest.find("\r\n\r\n");
    const size_t loose = rest.substr(0, strict).find("\n\n");
    const size_t end = loose != std::string_view::npos ? loose + 2 : strict != std::string_view::npos ? strict + 4 : strict;
    const bool too_long = end == std::string_view::npos ? rest.size() > kHeadBytesMax : end > kHeadBytesMax;
    if (too_long) {
        reading.state = HeadState::refused;
        reading.status = 431;
        reading.why = "the head exceeds 64 KiB";
        return reading;
    }
    if (end == std::string_view::npos) return reading;
    reading.used = blank + end;
    const auto complaint = take_head(rest.substr(0, end), reading.head);
    reading.state = complaint ? HeadState::refused : HeadState::complete;
    if (complaint) reading.status = complaint->status;
    if (complaint) reading.why = complaint->why;
    return reading;
}

}  // namespace rl::serve
