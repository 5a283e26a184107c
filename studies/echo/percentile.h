// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ECHO_PERCENTILE_H
#define ECHO_PERCENTILE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <sartor/histogram.hpp>

namespace sartor::echo {

/// What `share` of the requests that came between two readings of a histogram did not exceed, in
/// seconds; 0 if there were none.
inline double percentile(const std::vector<std::uint64_t> &before,
                         const std::vector<std::uint64_t> &after, double share) {
  double left = 0;
  for (std::size_t i = 0; i < after.size(); ++i)
    left += (1 - share) * static_cast<double>(after[i] - before[i]);
  if (left == 0)
    return 0;
  std::size_t bucket = after.size();
  while (left >= 0 && bucket > 0) {
    --bucket;
    left -= static_cast<double>(after[bucket] - before[bucket]);
  }
  return Histogram::bounds()[std::min(bucket, Histogram::bounds().size() - 1)];
}

} // namespace sartor::echo

#endif
