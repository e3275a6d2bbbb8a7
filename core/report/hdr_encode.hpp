// A histogram as other programs read it: HdrHistogram's V2 encoding, compressed, in base64, so that any of its libraries can merge runs.
//
// The value unit is the nanosecond, three significant digits, highest trackable value 2^42 - 1: exactly the buckets of stats::Histogram.
// The format has no place for overflow, so values past the range are counted in the last bucket.
#pragma once

#include <string>

#include "core/stats/histogram.hpp"

namespace rl::report {

std::string encode_hdr_v2(const stats::Histogram& histogram);

}  // namespace rl::report
