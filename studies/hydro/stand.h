// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_STAND_H
#define HYDRO_STAND_H

#include <array>
#include <vector>

#include <sartor/runtime.hpp>

#include "harness.h"
#include "simulation.h"

namespace hydro {

/// A simulation that goes on and on, whose loops are specialized while it does. One at a time.
class Stand {
public:
  /// A box of `cells` × `cells`. `runtime` must outlive it.
  Stand(sartor::Runtime &runtime, Index cells, Tile tile = kDefaultTile);

  /// Ticks of one iteration and a summary under a configuration, which is put in force first,
  /// outside of the time.
  double iteration(const sartor::Configuration &configuration);
  /// Ticks of each loop in the last iteration, all of its calls together.
  [[nodiscard]] const std::array<double, kLoops> &loops() const;

  /// Ticks of an iteration: the mean of two, one for each order of the sweeps.
  double step(const sartor::Configuration &configuration);
  /// `rounds` such steps of each, in another order each round.
  std::vector<sartor::bench::Samples>
  interleave(const std::vector<sartor::Configuration> &configurations, std::size_t rounds);

private:
  void put_in_force(const sartor::Configuration &configuration);

  sartor::Runtime &runtime_;
  Simulation simulation_;
};

} // namespace hydro

#endif
