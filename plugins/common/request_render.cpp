#include "common/request_render.hpp"

#include <algorithm>
#include <span>
#include <stdexcept>

namespace rl::plugins {
namespace {

std::string_view view(rl_bytes bytes) { return {reinterpret_cast<const char*>(bytes.p), bytes.n}; }
std::span<const rl_header> headers_of(const rl_request_template& request) { return {request.headers, request.header_count}; }

// RFC 9110 5.6.2.
bool is_token(std::string_view text) {
    constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || kMarks.find(c) != std::string_view::npos;
    });
}
bool is_target(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return byte > 0x20 && byte != 0x7f;
    });
}
bool is_value(std::string_view text) { return text.find_first_of(std::string_view("\r\n\0", 3)) == std::string_view::npos; }

bool same_name(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [&](char x, char y) { return lower(x) == lower(y); });
}
bool has_header(const rl_request_template& request, std::string_view name) {
    const auto headers = headers_of(request);
    return std::any_of(headers.begin(), headers.end(), [&](const rl_header& h) { return same_name(view(h.name), name); });
}

void need(bool fit, std::string_view what, std::string_view text, std::string_view why) {
    if (fit) return;
    throw std::invalid_argument("cannot render the request: " + std::string(what) + " \"" + std::string(text) + "\" " + std::string(why));
}

void add_header(std::string& out, std::string_view name, std::string_view value) {
    need(is_token(name), "the header name", name, "is no HTTP token");
    need(is_value(value), "the value of header", name, "holds a line end or a NUL");
    out.append(name).append(": ").append(value).append("\r\n");
}

// RFC 9110 8.6: a method that gives a meaning to content says how long it is, also when there is none.
bool needs_length(std::string_view method) { return method == "POST" || method == "PUT" || method == "PATCH"; }

}  // namespace

std::string render_head(const rl_request_template& request, std::string_view user_agent) {
    const std::string_view method = view(request.method), target = view(request.target);
    need(is_token(method), "the method", method, "is no HTTP token");
    need(is_target(target), "the target", target, "is empty or holds a blank or control character");
    std::string out;
    out.append(method).append(" ").append(target).append(" HTTP/1.1\r\n");
    add_header(out, "Host", view(request.authority));
    if (!has_header(request, "User-Agent")) add_header(out, "User-Agent", user_agent);
    if (!has_header(request, "Accept")) add_header(out, "Accept", "*/*");
    for (const rl_header& header : headers_of(request)) add_header(out, view(header.name), view(header.value));
    if (request.body.p != nullptr || needs_length(method)) add_header(out, "Content-Length", std::to_string(request.body.n));
    if (request.close_after != 0) add_header(out, "Connection", "close");
    return out.append("\r\n");
}

uint16_t request_flags(const rl_request_template& request) noexcept {
    const std::string_view method = view(request.method);
    uint32_t flags = 0;
    if (method == "HEAD") flags |= RL_REQUEST_HEAD;
    if (method == "CONNECT") flags |= RL_REQUEST_CONNECT;
    if (request.close_after != 0) flags |= RL_REQUEST_CLOSE;
    for (const std::string_view idempotent : {"GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"}) {
        if (method == idempotent) flags |= RL_REQUEST_IDEMPOTENT;
    }
    return static_cast<uint16_t>(flags);
}

}  // namespace rl::plugins
