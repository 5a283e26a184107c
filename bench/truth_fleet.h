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

/// Explorations with the strategy of a fleet: proposals of Optuna's TPE from a sidecar, with a
/// private Redis behind it.
class TruthFleet {
public:
  /// Throws std::runtime_error if the sidecar's Python packages are not available.
  TruthFleet();
  ~TruthFleet();
  TruthFleet(const TruthFleet &) = delete;
  TruthFleet &operator=(const TruthFleet &) = delete;

  /// Explores with `replicas` replicas that share a study with one budget of trials; each has its
  /// own clock and noise, and 1.5 times the traffic of the one before.
  std::vector<worlds::Outcome> explore(const worlds::Cell &cell, const ExplorerOptions &options,
                                       std::uint64_t seed, std::size_t replicas);

private:
  struct Services;
  std::unique_ptr<Services> services_;
  std::size_t studies_ = 0;
};

} // namespace sartor::bench

#endif
