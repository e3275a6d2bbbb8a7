// The bundled target as a process of its own, on a free port of this machine, for as long as the object lives.
#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/engine/endpoint.hpp"

namespace rl::testing {

class Served {
  public:
    explicit Served(std::vector<std::string> options) {
        options.insert(options.begin(), {RL_TEST_SERVE, "--port", "0"});
        std::vector<char*> words;
        for (std::string& option : options) words.push_back(option.data());
        words.push_back(nullptr);
        int pipe_ends[2];
        if (::pipe(pipe_ends) != 0) return;
        pid_ = ::fork();
        if (pid_ == 0) {
            ::dup2(pipe_ends[1], STDOUT_FILENO);
            ::close(pipe_ends[0]);
            ::close(pipe_ends[1]);
            ::execv(words[0], words.data());
            ::_exit(127);
        }
        ::close(pipe_ends[1]);
        std::string line;
        for (char c = 0; ::read(pipe_ends[0], &c, 1) == 1 && c != '\n';) line += c;
        ::close(pipe_ends[0]);
        // "listening on http://127.0.0.1:PORT/"
        if (const size_t colon = line.rfind(':'); colon != std::string::npos)
            port_ = static_cast<uint16_t>(std::atoi(line.c_str() + colon + 1));
    }
    ~Served() {
        if (pid_ <= 0) return;
        ::kill(pid_, SIGTERM);
        ::waitpid(pid_, nullptr, 0);
    }
    Served(const Served&) = delete;
    Served& operator=(const Served&) = delete;

    bool is_up() const noexcept { return port_ != 0; }
    engine::Endpoint endpoint() const { return loopback(port_); }

    static engine::Endpoint loopback(uint16_t port) {
        engine::Endpoint endpoint;
        auto& address = reinterpret_cast<sockaddr_in&>(endpoint.address);
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        endpoint.length = sizeof address;
        endpoint.text = "127.0.0.1:" + std::to_string(port);
        return endpoint;
    }

  private:
    pid_t pid_ = -1;
    uint16_t port_ = 0;
};

}  // namespace rl::testing
