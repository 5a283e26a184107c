// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_COMPARE_H
#define HYDRO_COMPARE_H

#include <vector>

#include "harness.h"

namespace hydro {

/// What searches came to against something else, from ratios that were taken in the same rounds:
/// for each of at least two searches its ratio in each round. The geometric mean of the searches'
/// medians, with an interval that holds what differs from search to search (Student's t, as there
/// are few) and, drawn again, what differs from round to round for all of them.
sartor::bench::Interval over_searches(const std::vector<sartor::bench::Samples> &ratios);

} // namespace hydro

#endif
