// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_COMPARE_H
#define HYDRO_COMPARE_H

#include <vector>

#include "harness.h"

namespace hydro {

/// What searches came to against something else, from ratios that were taken in the same rounds:
/// for each search its ratio in each round. The geometric mean of the searches' medians; its
/// interval holds what differs from search to search and from round to round: searches and rounds
/// are drawn again (the bootstrap for two-way data of A. B. Owen, Ann. Appl. Stat. 1, 2007).
sartor::bench::Interval over_searches(const std::vector<sartor::bench::Samples> &ratios);

} // namespace hydro

#endif
