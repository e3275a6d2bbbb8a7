// The ways of scan_head() that x86-64 offers; scan.hpp chooses.
#pragma once

#include "core/http/scan.hpp"

#if defined(__x86_64__)
namespace rl::http {

void scan_head_sse2(const char* data, size_t size, HeadScan* out) noexcept;
void scan_head_avx2(const char* data, size_t size, HeadScan* out) noexcept;
void scan_head_avx512(const char* data, size_t size, HeadScan* out) noexcept;

}  // namespace rl::http
#endif
