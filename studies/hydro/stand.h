// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_STAND_H
#define HYDRO_STAND_H

#include <array>
#include <vector>

#include <sartor/runtime.hpp>

#include "harness.h"
#include "simulation.h"

namespace hydro {

/// A continuously running simulation whose loops are specialized meanwhile. One exists at a time.
class Stand {
public:
  /// Simulates a box of `cells` × `cells`. `runtime` must outlive this object.
  Stand(sartor::Runtime &runtime, Index cells, Tile tile = kDefaultTile);

  /// Ticks of one iteration and a summary under a configuration, which is activated first, outside
  /// of the measured time.
  double iteration(const sartor::Configuration &configuration);
  /// Ticks of each loop in the last iteration, summed over its calls.
  [[nodiscard]] const std::array<double, kLoops> &loops() const;

  /// Ticks of an iteration: the mean of two, one for each order of the sweeps.
  double step(const sartor::Configuration &configuration);
  /// `rounds` such steps of each configuration, in a different order each round.
  std::vector<sartor::bench::Samples>
  interleave(const std::vector<sartor::Configuration> &configurations, std::size_t rounds);

private:
  void activate(const sartor::Configuration &configuration);

  sartor::Runtime &runtime_;
  Simulation simulation_;
};

} // namespace hydro

#endif
