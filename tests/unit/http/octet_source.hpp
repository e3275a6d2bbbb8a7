// Heads and noise for the tests of core/http: seeded, so that a failure can be run again.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace rl::test {

inline std::string head_with(std::string_view fields) { return std::string("HTTP/1.1 200 OK\r\n").append(fields).append("\r\n"); }

// Octets of which most belong to heads, so that random text comes near to valid ones.
class OctetSource {
  public:
    explicit OctetSource(uint64_t seed) : random_(seed) {}

    size_t below(size_t bound) { return std::uniform_int_distribution<size_t>(0, bound - 1)(random_); }

    std::string noise(size_t size) {
        static constexpr std::string_view kLikely = "\r\n\r\n:: \tabyzAZ09-_@[`{/\x7f\x80\x1f!";
        std::string octets;
        for (size_t i = 0; i < size; ++i) {
            octets += below(4) == 0 ? static_cast<char>(below(256)) : kLikely[below(kLikely.size())];
        }
        return octets;
    }

    // A status line, up to 12 field lines and an empty line; now and then something odd among them.
    std::string head() {
        static constexpr std::string_view kNames[] = {"Server",
                                                      "date",
                                                      "X-Very-Long-Name-That-Says-Little-0123456789",
                                                      "Content-Length",
                                                      "Connection",
                                                      "Transfer-Encoding",
                                                      "Keep-Alive",
                                                      "Set-Cookie",
                                                      "a",
                                                      "CONNECTION",
                                                      "content-lengtH",
                                                      "X_y",
                                                      "X.z",
                                                      "Content-Lengthy",
                                                      "XXXContent-Length"};
        static constexpr std::string_view kValues[] = {"",
                                                       "5",
                                                       "0",
                                                       "close",
                                                       "keep-alive",
                                                       "Keep-Alive, x",
                                                       "chunked",
                                                       "gzip, chunked",
                                                       "1, 1",
                                                       "99999999999999999999",
                                                       "text/plain; charset=utf-8",
                                                       "a:b:c",
                                                       "\xe4\xf6",
                                                       "5 ",
                                                       "\t5"};
        std::string octets = below(8) == 0 ? "HTTP/1.0 404 Not Found\r\n" : "HTTP/1.1 200 OK\r\n";
        for (size_t i = below(13); i > 0; --i) {
            octets += kNames[below(std::size(kNames))];
            octets += below(24) == 0 ? " : " : ": ";
            octets += kValues[below(std::size(kValues))];
            if (below(16) == 0) octets += std::string(below(200), 'v');
            octets += below(24) == 0 ? "\n" : below(48) == 0 ? "\r\n " : "\r\n";
        }
        octets += below(24) == 0 ? "\n" : "\r\n";
        if (below(8) == 0) octets[below(octets.size())] = static_cast<char>(below(256));
        return octets;
    }

  private:
    std::mt19937_64 random_;
};

}  // namespace rl::test
