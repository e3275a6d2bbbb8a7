// The library's context made from settings: trust, identity, versions. Internal to this folder.
#pragma once

#include "core/base/result.hpp"
#include "core/tls/settings.hpp"

struct WOLFSSL_CTX;

namespace rl::tls {

Result<WOLFSSL_CTX*> make_context(const Settings& settings);
void free_context(WOLFSSL_CTX* context) noexcept;

}  // namespace rl::tls
