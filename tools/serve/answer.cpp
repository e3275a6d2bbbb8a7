// Building heads of exact size, and finding the octets of an answer at any offset without laying them out in memory.
#include "tools/serve/answer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace rl::serve {
namespace {

constexpr size_t kPatternBytes = size_t{256} << 10;
constexpr size_t kPatternLine = 64;
constexpr size_t kBurstBytes = size_t{64} << 10;
constexpr size_t kBurstCopies = 64;
constexpr size_t kFillerLine = 64;
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kLastChunk = "0\r\n\r\n";

// Lines of 64 octets that tell their own offset, so that a client that loses its place in a stream can be caught.
const std::string& pattern() {
    static const std::string octets = [] {
        std::string text;
        text.reserve(kPatternBytes);
        while (text.size() < kPatternBytes) text += fmt::format("ok {:06} {:.<{}}\n", text.size(), "", kPatternLine - 11);
        return text;
    }();
    return octets;
}

std::string_view reason(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 201:
            return "Created";
        case 204:
            return "No Content";
        case 206:
            return "Partial Content";
        case 301:
            return "Moved Permanently";
        case 302:
            return "Found";
        case 304:
            return "Not Modified";
        case 307:
            return "Temporary Redirect";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 429:
            return "Too Many Requests";
        case 431:
            return "Request Header Fields Too Large";
        case 500:
            return "Internal Server Error";
        case 501:
            return "Not Implemented";
        case 502:
            return "Bad Gateway";
        case 503:
            return "Service Unavailable";
        case 504:
            return "Gateway Timeout";
        case 505:
            return "HTTP Version Not Supported";
        default:
            return "Status";
    }
}

bool has_no_content(int status) { return status == 204 || status == 304; }

std::string_view connection_line(Persist persist) {
    switch (persist) {
        case Persist::keep:
            return "";
        case Persist::keep_spoken:
            return "Connection: keep-alive\r\n";
        case Persist::close:
            return "Connection: close\r\n";
    }
    return "";
}

std::string framing_line(const AnswerSpec& spec) {
    if (has_no_content(spec.status) || spec.framing == Framing::until_close) return "";
    if (spec.framing == Framing::chunked) return "Transfer-Encoding: chunked\r\n";
    return fmt::format("Content-Length: {}\r\n", spec.size);
}

// Lines of one fixed length and a longer server name make up the difference, so that every size can be met to the octet.
std::string build_head(const AnswerSpec& spec, std::string_view content_type, Persist persist) {
    const auto compose = [&](std::string_view name_tail, std::string_view filler) {
        return fmt::format("HTTP/1.1 {} {}\r\nServer: ringload{}\r\nContent-Type: {}\r\n{}{}{}\r\n", spec.status, reason(spec.status),
                           name_tail, content_type, framing_line(spec), connection_line(persist), filler);
    };
    std::string head = compose("", "");
    if (head.size() >= spec.head_bytes) return head;
    const size_t missing = spec.head_bytes - head.size();
    std::string filler;
    for (size_t line = 0; line < missing / kFillerLine; ++line) {
        filler += fmt::format("X-Filler-{:05}: {:x<{}}\r\n", line, "", kFillerLine - 18);
    }
    return compose(std::string(missing % kFillerLine, '-'), filler);
}

// Appends what of `piece`, which begins at `at` in the stream, lies in [offset, limit); false once nothing more can follow.
bool add(Gather& into, std::string_view piece, uint64_t at, uint64_t offset, uint64_t limit) {
    const uint64_t from = std::max(at, offset);
    const uint64_t to = std::min(at + piece.size(), limit);
    if (from < to) {
        if (into.used == into.room) return false;
        into.list[into.used++] = {const_cast<char*>(piece.data() + (from - at)), static_cast<size_t>(to - from)};
        into.bytes += to - from;
    }
    return at + piece.size() < limit;
}

// The same for `size` octets of content from `content` on; the first stands at `at` in the stream.
bool add_pattern(Gather& into, uint64_t content, uint64_t size, uint64_t at, uint64_t offset, uint64_t limit) {
    uint64_t done = offset > at ? std::min(offset - at, size) : 0;
    while (done < size) {
        const size_t within = static_cast<size_t>((content + done) % kPatternBytes);
        const size_t take = static_cast<size_t>(std::min<uint64_t>(kPatternBytes - within, size - done));
        if (!add(into, std::string_view(pattern()).substr(within, take), at + done, offset, limit)) return false;
        done += take;
    }
    return at + size < limit;
}

}  // namespace

uint64_t least_head_bytes(const AnswerSpec& spec) {
    AnswerSpec bare = spec;
    bare.head_bytes = 0;
    return build_head(bare, "text/plain", Persist::keep_spoken).size();
}

Answer::Answer(const AnswerSpec& spec) : status_(spec.status), slow_bytes_(spec.slow_bytes), slow_every_ns_(spec.slow_every_ns) {
    for (const Persist persist : {Persist::keep, Persist::keep_spoken, Persist::close}) {
        heads_[static_cast<size_t>(persist)] = build_head(spec, "text/plain", persist);
    }
    content_bytes_ = has_no_content(spec.status) ? 0 : spec.size;
    body_bytes_ = content_bytes_;
    if (spec.framing == Framing::chunked && !has_no_content(spec.status)) {
        chunk_bytes_ = spec.chunk_bytes;
        chunk_line_ = fmt::format("{:x}\r\n", chunk_bytes_);
        const uint64_t rest = content_bytes_ % chunk_bytes_;
        if (rest != 0) rest_line_ = fmt::format("{:x}\r\n", rest);
        body_bytes_ = content_bytes_ / chunk_bytes_ * (chunk_line_.size() + chunk_bytes_ + kLineEnd.size()) + kLastChunk.size();
        if (rest != 0) body_bytes_ += rest_line_.size() + rest + kLineEnd.size();
    }
    build_burst();
}

Answer::Answer(int status, std::string_view content_type, std::string body)
    : status_(status), own_body_(std::move(body)), own_(true), content_bytes_(own_body_.size()), body_bytes_(own_body_.size()) {
    AnswerSpec spec;
    spec.status = status;
    spec.size = content_bytes_;
    for (const Persist persist : {Persist::keep, Persist::keep_spoken, Persist::close}) {
        heads_[static_cast<size_t>(persist)] = build_head(spec, content_type, persist);
    }
}

std::shared_ptr<const Answer> Answer::raw(std::string_view octets) {
    std::shared_ptr<Answer> answer(new Answer());
    answer->heads_.fill(std::string(octets));
    return answer;
}

uint64_t Answer::length(Persist persist, Part part) const noexcept {
    return head(persist).size() + (part == Part::whole ? body_bytes_ : 0);
}

void Answer::gather(Persist persist, uint64_t offset, uint64_t limit, Gather& into) const {
    const std::string& octets = head(persist);
    if (offset < octets.size() && !add(into, octets, 0, offset, limit)) return;
    if (limit <= octets.size()) return;
    const uint64_t body_offset = offset > octets.size() ? offset - octets.size() : 0;
    gather_body(body_offset, limit - octets.size(), into);
}

void Answer::gather_body(uint64_t offset, uint64_t limit, Gather& into) const {
    if (chunk_bytes_ != 0) {
        gather_chunks(offset, limit, into);
    } else if (own_) {
        add(into, own_body_, 0, offset, limit);
    } else {
        add_pattern(into, 0, content_bytes_, 0, offset, limit);
    }
}

void Answer::gather_chunks(uint64_t offset, uint64_t limit, Gather& into) const {
    const uint64_t frame = chunk_line_.size() + chunk_bytes_ + kLineEnd.size();
    const uint64_t full = content_bytes_ / chunk_bytes_;
    const uint64_t rest = content_bytes_ % chunk_bytes_;
    const auto add_chunk = [&](std::string_view line, uint64_t content, uint64_t size, uint64_t at) {
        return add(into, line, at, offset, limit) && add_pattern(into, content, size, at + line.size(), offset, limit) &&
               add(into, kLineEnd, at + line.size() + size, offset, limit);
    };
    for (uint64_t chunk = std::min(offset / frame, full); chunk < full; ++chunk) {
        if (!add_chunk(chunk_line_, chunk * chunk_bytes_, chunk_bytes_, chunk * frame)) return;
    }
    uint64_t at = full * frame;
    if (rest != 0) {
        if (!add_chunk(rest_line_, content_bytes_ - rest, rest, at)) return;
        at += rest_line_.size() + rest + kLineEnd.size();
    }
    add(into, kLastChunk, at, offset, limit);
}

void Answer::build_burst() {
    const uint64_t whole = length(Persist::keep, Part::whole);
    if (whole > kBurstBytes) return;
    std::array<iovec, 64> list{};
    std::string one;
    while (one.size() < whole) {
        Gather gathered{list.data(), list.size()};
        gather(Persist::keep, one.size(), whole, gathered);
        for (size_t i = 0; i < gathered.used; ++i) one.append(static_cast<const char*>(list[i].iov_base), list[i].iov_len);
    }
    burst_copies_ = std::clamp<size_t>(kBurstBytes / one.size(), 1, kBurstCopies);
    burst_.reserve(burst_copies_ * one.size());
    for (size_t copy = 0; copy < burst_copies_; ++copy) burst_ += one;
}

AnswerSet::AnswerSet(const AnswerSpec& wanted, const std::vector<StatusShare>& statuses) : spec(wanted) {
    AnswerSpec one = wanted;
    for (const StatusShare& share : statuses) {
        one.status = share.status;
        answers.push_back(std::make_shared<const Answer>(one));
    }
    if (statuses.empty()) answers.push_back(std::make_shared<const Answer>(one));
    instant = spec.delay_ns == 0 && spec.jitter_ns == 0 && spec.slow_bytes == 0 && spec.fault == Fault::none && !spec.close &&
              spec.framing != Framing::until_close && answers.size() == 1 && !answers[0]->burst().empty();
}

}  // namespace rl::serve
