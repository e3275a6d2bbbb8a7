// What the command line says about TLS, in plain values.
#pragma once

#include <cstdint>
#include <string>

namespace rl::tls {

enum class Version : uint8_t { v1_2, v1_3 };

struct Settings {
    bool verify = true;     // the chain and the host's name
    std::string ca_file;    // PEM; "": the roots of the system
    std::string cert_file;  // PEM chain of the client; "": none
    std::string key_file;   // PEM key to it
    Version min = Version::v1_2, max = Version::v1_3;
    std::string ciphers;      // OpenSSL names with colons; "": the library's own choice
    std::string server_name;  // for SNI and the certificate; "": the host of the URL
    bool reuse_sessions = true;
};

}  // namespace rl::tls
