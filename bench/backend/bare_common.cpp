#include "bench/backend/bare_common.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace rl::bench {
namespace {

int connect_one(uint16_t port) {
    const int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) give_up("cannot make a socket; raise the limit of open files (ulimit -n)", errno);
    const int on = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) give_up("cannot connect to the target", errno);
    return fd;
}

}  // namespace

void give_up(const char* what, int os_error) {
    std::fprintf(stderr, "bare_loop: %s: %s\n", what, std::strerror(os_error));
    std::exit(1);
}

Requests::Requests(uint16_t port) {
    const std::string request = "GET / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) + "\r\n\r\n";
    one = static_cast<uint32_t>(request.size());
    for (uint32_t i = 0; i < kPipelineMax; ++i) octets += request;
}

std::vector<int> connect_all(const BareOptions& options) {
    std::vector<int> sockets;
    sockets.reserve(options.connections);
    for (uint32_t i = 0; i < options.connections; ++i) sockets.push_back(connect_one(options.port));
    return sockets;
}

uint64_t measure_answer(const BareOptions& options, const Requests& requests) {
    const int fd = connect_one(options.port);
    const timeval silence{.tv_sec = 0, .tv_usec = 200'000};
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof silence);
    if (send(fd, requests.octets.data(), requests.one, MSG_NOSIGNAL) < 0) give_up("cannot send a request", errno);
    std::array<char, 65536> buffer;
    uint64_t total = 0;
    for (ssize_t n = 0; (n = recv(fd, buffer.data(), buffer.size(), 0)) > 0;) total += static_cast<uint64_t>(n);
    close(fd);
    if (total == 0) give_up("the target does not answer", ETIMEDOUT);
    return total;
}

}  // namespace rl::bench
