// The body: counted and summed as it passes, framing lines checked, nothing kept but one unfinished framing line.
#include <algorithm>
#include <charconv>

#include "tools/serve/crc32.hpp"
#include "tools/serve/request.hpp"

namespace rl::serve {
namespace {

// Of chunk-size lines and trailers together between two pieces of data.
constexpr size_t kFramingBytesMax = size_t{16} << 10;

}  // namespace

void BodyReader::begin(BodyKind kind, uint64_t length) {
    chunked_ = kind == BodyKind::chunked;
    state_ = kind == BodyKind::none ? State::complete : State::unfinished;
    expect_ = chunked_ ? Expect::size_line : Expect::data;
    left_ = kind == BodyKind::length ? length : 0;
    bytes_ = 0;
    crc_ = 0;
    line_bytes_ = 0;
    line_.clear();
}

size_t BodyReader::feed(std::string_view octets) {
    size_t used = 0;
    while (used < octets.size() && state_ == State::unfinished) {
        const std::string_view rest = octets.substr(used);
        used += expect_ == Expect::data ? take_data(rest) : take_line(rest);
    }
    return used;
}

size_t BodyReader::take_data(std::string_view octets) {
    const size_t take = static_cast<size_t>(std::min<uint64_t>(left_, octets.size()));
    crc_ = crc32_of(crc_, octets.substr(0, take));
    bytes_ += take;
    left_ -= take;
    line_bytes_ = 0;
    if (left_ == 0 && chunked_) expect_ = Expect::data_end;
    if (left_ == 0 && !chunked_) state_ = State::complete;
    return take;
}

size_t BodyReader::take_line(std::string_view octets) {
    const size_t end = octets.find('\n');
    const size_t take = end == std::string_view::npos ? octets.size() : end + 1;
    line_bytes_ += take;
    if (line_bytes_ > kFramingBytesMax) {
        state_ = State::broken;
        return take;
    }
    line_.append(octets.substr(0, take));
    if (end == std::string_view::npos) return take;
    if (line_.size() < 2 || line_[line_.size() - 2] != '\r') {
        state_ = State::broken;
        return take;
    }
    line_.resize(line_.size() - 2);
    end_line();
    line_.clear();
    return take;
}

void BodyReader::end_line() {
    switch (expect_) {
        case Expect::data_end:
            if (!line_.empty()) state_ = State::broken;
            expect_ = Expect::size_line;
            return;
        case Expect::trailer:
            if (line_.empty()) state_ = State::complete;
            return;
        case Expect::size_line: {
            const char* end = line_.data() + line_.size();
            const auto [stop, error] = std::from_chars(line_.data(), end, left_, 16);
            const bool ends_well = stop == end || *stop == ';' || *stop == ' ' || *stop == '\t';
            if (line_.empty() || error != std::errc() || !ends_well) state_ = State::broken;
            expect_ = left_ == 0 ? Expect::trailer : Expect::data;
            return;
        }
        case Expect::data:
            return;
    }
}

}  // namespace rl::serve
