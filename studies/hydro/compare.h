// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_COMPARE_H
#define HYDRO_COMPARE_H

#include <vector>

#include "harness.h"

namespace hydro {

/// Compares searches with a reference, from ratios that were measured in the same rounds: `ratios`
/// has the ratio in each round for each of at least two searches. Returns the geometric mean of the
/// searches' medians with an interval that covers the differences between searches (Student's t, as
/// there are few) and, by resampling, the differences between rounds, which all searches share.
sartor::bench::Interval over_searches(const std::vector<sartor::bench::Samples> &ratios);

} // namespace hydro

#endif
