// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_SEARCHES_H
#define HYDRO_SEARCHES_H

#include <cstddef>
#include <vector>

#include <sartor/explorer.hpp>

#include "stand.h"

namespace hydro {

/// What an explorer chose.
struct Search {
  sartor::Configuration chosen;
  double seconds; ///< From its beginning to its decision.
};

/// Explores a simulation that runs, of `cells` × `cells`, `searches` times from the program's own
/// plan on, each with another seed. What counts is iterations per second.
std::vector<Search> search(sartor::Runtime &runtime, Index cells,
                           const sartor::ExplorerOptions &options, std::size_t searches);
/// The same with trials of configurations at random.
std::vector<Search> search_at_random(sartor::Runtime &runtime, Index cells,
                                     const sartor::ExplorerOptions &options, std::size_t searches);

/// The best of so many configurations at random (or of all, if there are no more): each is measured
/// `rounds` times; the foremost are measured again, which decides.
sartor::Configuration best_of(Stand &stand, const sartor::SearchSpace &space, std::size_t most,
                              std::size_t rounds);

} // namespace hydro

#endif
