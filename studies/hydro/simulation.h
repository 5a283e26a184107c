// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_SIMULATION_H
#define HYDRO_SIMULATION_H

#include <cstdint>
#include <functional>
#include <vector>

#include "grid.h"
#include "halo.h"
#include "pass.h"
#include "window.h"

namespace hydro {

/// The number of loops: ideal gas, viscosity, time step, PdV, acceleration, fluxes, cells (x, y),
/// momentum (x, y), reset, summary. The points of the first are Ti1 and Tj1.
inline constexpr std::size_t kLoops = 12;

/// Whole rows, the order in which most codes traverse their grids.
inline constexpr Tile kRows{Index{1} << 40, Index{1} << 40};
/// The square tile that common advice on loop blocking suggests. Five fields of this size fill the
/// first-level cache.
inline constexpr Tile kDefaultTile{32, 32};

/// Density and specific internal energy at a location; the gas is at rest.
struct Initial {
  double density;
  double energy;
};
using InitialState = std::function<Initial(double x, double y)>;

/// Totals over the grid.
struct Summary {
  double mass = 0;
  double internal = 0; ///< Internal energy.
  double kinetic = 0;  ///< Kinetic energy.
  double mean_pressure = 0;
};

/// A gas in a box with reflecting walls. Not thread-safe.
class Simulation {
public:
  enum class First : std::uint8_t { x, y };

  /// `first`: the direction of the first sweep in the first step; it alternates from then on.
  Simulation(const Grid &grid, const InitialState &initial, const Kernels &kernels = {},
             Tile tile = kRows, First first = First::x, const Plan &plan = {});
  Simulation(const Simulation &) = delete;
  Simulation &operator=(const Simulation &) = delete;

  /// Advances by the longest stable step, but at most `most`; returns its length.
  double step(double most = 1e30);
  /// Advances until the time is `end`.
  void run_until(double end);
  /// Computes the totals that codes of this kind print; reads all cells.
  Summary summary();

  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] const Grid &grid() const { return grid_; }
  [[nodiscard]] const Field &density() const { return level0_.density; }
  [[nodiscard]] const Field &energy() const { return level0_.energy; }
  [[nodiscard]] const Field &velocity_x() const { return level0_.u; }
  [[nodiscard]] const Field &velocity_y() const { return level0_.v; }

private:
  /// The fields of a Level.
  struct Fields {
    Field density, energy, u, v;
    explicit Fields(const Grid &grid) : density(grid), energy(grid), u(grid), v(grid) {}
    Level at_origin() {
      return {density.at_origin(), energy.at_origin(), u.at_origin(), v.at_origin()};
    }
  };

  [[nodiscard]] Rows all_rows() const { return {0, grid_.ny}; }
  /// Computes pressure, viscosity and the length of a step for the initial state.
  void prepare();

  Grid grid_;
  Kernels kernels_;
  Tile tile_;
  Plan plan_;
  bool x_first_;
  double time_ = 0;
  Fields level0_, level1_;
  Field pressure_, viscosity_, sound_speed_;
  Field volume_flux_x_, volume_flux_y_, mass_flux_x_, mass_flux_y_;
  WindowFields window_;
  std::vector<double> columns_; ///< The rate of change of each column: hydro_time_step().
};

} // namespace hydro

#endif
