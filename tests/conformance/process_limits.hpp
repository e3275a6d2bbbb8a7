// What the system tells and lets a test change about the descriptors of this process.
#pragma once

#include <cstdint>
#include <optional>

namespace rl::conformance {

// How many this process has open; nothing where the system does not tell.
std::optional<uint32_t> open_descriptors();

// How many it may have.
uint64_t descriptors_most();

// While `on`, none can be made. `before` is kept by the caller between the two calls. False: this system knows no such limit.
bool starve_descriptors(bool on, uint64_t& before);

}  // namespace rl::conformance
