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
  double error_probability = 0.05; ///< That the leader is worse than the best by > tolerance.
  double tolerance = 0.01;         ///< As a share of the best's score.
  std::size_t most_samples = 2000; ///< For each candidate.
  std::uint64_t seed = 1;          ///< Determines the order within rounds.
};

/// The exhaustive strategy: all candidates run in interleaved rounds with a sample each, in random
/// order within a round; scores are compared pairwise within rounds, so that drift common to a
/// round cancels. A candidate leaves the race when it is surely not better than the leader by more
/// than the tolerance; one remains at the end, unless samples have run out. Of equals the first is
/// chosen. `candidates` must not be empty.
std::unique_ptr<Strategy> race(std::vector<Configuration> candidates, RaceOptions options = {});

} // namespace sartor

#endif
