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
  std::size_t most_windows = 60;   ///< Per candidate.
  std::uint64_t seed = 1;          ///< Of the order within rounds.
};

/// The exhaustive strategy: all candidates run in interleaved rounds, in random order within a
/// round; scores are compared pairwise within rounds, so that drift common to a round cancels;
/// a candidate leaves the race when it is surely worse than the leader, and the race ends when one
/// is left, or all that are left are surely within the tolerance, or windows have run out.
/// `candidates` must not be empty.
std::unique_ptr<Strategy> race(std::vector<Configuration> candidates, RaceOptions options = {});

} // namespace sartor

#endif
