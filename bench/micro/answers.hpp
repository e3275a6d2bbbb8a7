// Answers as servers send them, for the benches of core/http: many copies that differ in date and version, as in a real run.
#pragma once

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace rl::bench {

inline constexpr size_t kCopies = 64;

inline std::string two_digits(size_t n) {
    const char digits[] = {static_cast<char>('0' + n / 10 % 10), static_cast<char>('0' + n % 10), '\0'};
    return digits;
}

// Six lines and 140 octets of head: what a plain server sends before "ok".
inline std::string small_head(size_t copy) {
    std::string head = "HTTP/1.1 200 OK\r\nServer: h2o/" + two_digits(copy) + "\r\nDate: Mon, 30 Nov 2026 17:05:";
    head.append(two_digits(copy * 7 % 60)).append(" GMT\r\nContent-Type: text/html\r\nContent-Length: 2\r\nConnection: keep-alive");
    return head.append("\r\n\r\n");
}

// 17 lines and 573 octets: an application behind a proxy.
inline std::string large_head(size_t copy) {
    std::string head = small_head(copy);
    head.resize(head.size() - 2);
    for (const std::string_view line :
         {"Cache-Control: private, max-age=0, no-cache", "ETag: \"5f3e-abcdef0123456789\"", "Vary: Accept-Encoding, Origin",
          "X-Frame-Options: SAMEORIGIN", "X-Content-Type-Options: nosniff", "Strict-Transport-Security: max-age=31536000",
          "Set-Cookie: sid=abcdef0123456789; Path=/; HttpOnly", "Last-Modified: Sun, 29 Nov 2026 10:11:12 GMT", "Accept-Ranges: bytes",
          "X-Request-Id: 0123456789abcdef"}) {
        head.append(line).append("\r\n");
    }
    head.append("Via: 1.1 cache-");
    head.append(573 - head.size() - 4, '7');
    return head.append("\r\n\r\n");
}

inline std::vector<std::string> copies(std::string (*head)(size_t), std::string_view body) {
    std::vector<std::string> all;
    for (size_t i = 0; i < kCopies; ++i) all.push_back(head(i).append(body));
    return all;
}

}  // namespace rl::bench
