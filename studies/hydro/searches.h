// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_SEARCHES_H
#define HYDRO_SEARCHES_H

#include <cstddef>
#include <vector>

#include <sartor/explorer.hpp>

#include "stand.h"

namespace hydro {

/// The result of an exploration.
struct Search {
  sartor::Configuration chosen;
  double seconds; ///< Time from its start to its decision.
};

/// Explores a running simulation of `cells` × `cells` `searches` times, starting from the program's
/// own plan, with a different seed each time. The objective is iterations per second.
std::vector<Search> search(sartor::Runtime &runtime, Index cells,
                           const sartor::ExplorerOptions &options, std::size_t searches);
/// Does the same with random trials.
std::vector<Search> search_at_random(sartor::Runtime &runtime, Index cells,
                                     const sartor::ExplorerOptions &options, std::size_t searches);

/// Finds the best of so many random configurations (or of all, if there are fewer): each is
/// measured `rounds` times; the leading ones are measured again, which decides.
sartor::Configuration best_of(Stand &stand, const sartor::SearchSpace &space, std::size_t most,
                              std::size_t rounds);

} // namespace hydro

#endif
