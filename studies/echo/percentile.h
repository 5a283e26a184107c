// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ECHO_PERCENTILE_H
#define ECHO_PERCENTILE_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include <sartor/histogram.hpp>

namespace sartor::echo {

/// The number of values so far in each bucket of a histogram.
using Counts = std::vector<std::uint64_t>;

inline void add(Counts &to, const Counts &more) {
  to.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i)
    to[i] += more[i];
}
/// The counts between two samples.
inline Counts between(const Counts &before, Counts after) {
  for (std::size_t i = 0; i < after.size(); ++i)
    after[i] -= before[i];
  return after;
}

/// The value in seconds that `share` of all values do not exceed; 0 if there are none.
inline double percentile(const Counts &counts, double share) {
  double left = 0;
  for (const std::uint64_t count : counts)
    left += (1 - share) * static_cast<double>(count);
  if (left == 0)
    return 0;
  std::size_t bucket = counts.size();
  while (left >= 0 && bucket > 0)
    left -= static_cast<double>(counts[--bucket]);
  return Histogram::bounds()[std::min(bucket, Histogram::bounds().size() - 1)];
}

} // namespace sartor::echo

#endif
