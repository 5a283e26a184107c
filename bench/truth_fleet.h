// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_TRUTH_FLEET_H
#define SARTOR_BENCH_TRUTH_FLEET_H

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <sartor/explorer.hpp>

#include "../test/explore/worlds.h"

namespace sartor::bench {

/// Explorations whose strategy is a fleet's: proposals of Optuna's TPE from a sidecar, with a Redis
/// of our own behind it.
class TruthFleet {
public:
  /// Throws std::runtime_error where the sidecar's Python packages cannot be had.
  TruthFleet();
  ~TruthFleet();
  TruthFleet(const TruthFleet &) = delete;
  TruthFleet &operator=(const TruthFleet &) = delete;

  /// Of so many replicas that share a study of one budget of trials; each has a time and a noise of
  /// its own, and half as much traffic again as the one before.
  std::vector<worlds::Outcome> explore(const worlds::Cell &cell, const ExplorerOptions &options,
                                       std::uint64_t seed, std::size_t replicas);

private:
  struct Services;
  std::unique_ptr<Services> services_;
  std::size_t studies_ = 0;
};

} // namespace sartor::bench

#endif
