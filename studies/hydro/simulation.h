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

/// Ideal gas, viscosity, time step, PdV, acceleration, fluxes, cells (x, y), momentum (x, y),
/// reset, summary: the points of the first are Ti1 and Tj1.
inline constexpr std::size_t kLoops = 12;

/// Whole rows, as most codes go over their grids.
inline constexpr Tile kRows{Index{1} << 40, Index{1} << 40};
/// The square tile of one who has read that loops should be blocked. Of five fields, it fills the
/// first-level cache.
inline constexpr Tile kDefaultTile{32, 32};

/// Density and specific internal energy at a place; the gas is at rest.
struct Initial {
  double density;
  double energy;
};
using InitialState = std::function<Initial(double x, double y)>;

/// What there is in all.
struct Summary {
  double mass = 0;
  double internal = 0; ///< Energy.
  double kinetic = 0;  ///< Energy.
  double mean_pressure = 0;
};

/// A gas in a box with reflecting walls. Used by one thread.
class Simulation {
public:
  enum class First : std::uint8_t { x, y };

  /// `first`: the direction that the first step advects in first; from then on they alternate.
  Simulation(const Grid &grid, const InitialState &initial, const Kernels &kernels = {},
             Tile tile = kRows, First first = First::x, const Plan &plan = {});
  Simulation(const Simulation &) = delete;
  Simulation &operator=(const Simulation &) = delete;

  /// As long a step as is stable, but at most `most`; returns how long it was.
  double step(double most = 1e30);
  /// Steps until the time is `end`.
  void run_until(double end);
  /// What codes like this print; reads all cells.
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
  /// Pressure, viscosity and the length of a step, of how the simulation begins.
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
  std::vector<double> columns_; ///< How fast they change: hydro_time_step().
};

} // namespace hydro

#endif
