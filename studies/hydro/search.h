// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_SEARCH_H
#define HYDRO_SEARCH_H

#include <cstddef>
#include <vector>

#include <sartor/configuration.hpp>
#include <sartor/search_space.hpp>
#include <sartor/strategy.hpp>

#include "stand.h"

namespace hydro {

/// How a strategy fared.
struct Search {
  sartor::Configuration chosen;
  /// After each trial: how many times as fast as the default tiles the best so far is, as it was
  /// measured then.
  std::vector<double> best;
  std::vector<sartor::Trial> trials;
};

/// Asks and tells until the strategy has nothing more to ask. A trial is up to `pairs` pairs of
/// iterations, one of the candidate and one of the default tiles, in random order: what slows the
/// machine down for a while slows both. A candidate that is clearly behind is given up sooner.
Search search(Stand &stand, sartor::Strategy &strategy, std::size_t pairs);

/// What many trials come to.
struct LongSearch {
  sartor::Configuration of_random;
  sartor::Configuration of_all;
};

/// The best of `most` random trials of one pair each, and the best of those, of a coordinate search
/// and of a separable search of `most` trials; what may be the best is measured again.
LongSearch long_search(Stand &stand, const sartor::SearchSpace &space, std::size_t most);

} // namespace hydro

#endif
