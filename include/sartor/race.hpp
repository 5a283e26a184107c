// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RACE_HPP
#define SARTOR_RACE_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <sartor/strategy.hpp>

namespace sartor {

struct RaceOptions {
  double error_probability = 0.05; ///< That the winner is worse than the best by > tolerance.
  double tolerance = 0.01;         ///< Share of the best's score.
  std::size_t most_slices = 2000;  ///< Per candidate.
  std::uint64_t seed = 1;          ///< Of the order within rounds.
};

/// The exhaustive strategy: all candidates run in interleaved rounds of one slice each, in random
/// order within a round; scores are compared pairwise within rounds, so that drift common to a
/// round cancels. A candidate leaves the race when it is surely not better than the leader by more
/// than the tolerance; one is left in the end, unless slices have run out. Of equals the first
/// wins. `candidates` must not be empty.
std::unique_ptr<Strategy> race(std::vector<Configuration> candidates, RaceOptions options = {});

} // namespace sartor

#endif
