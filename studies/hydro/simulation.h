// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_SIMULATION_H
#define HYDRO_SIMULATION_H

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "grid.h"
#include "halo.h"
#include "kernels.h"

namespace hydro {

/// The loops as they are called: the native code, or entries that lead to variants (sartor.h).
struct Kernels {
  decltype(&hydro_ideal_gas) ideal_gas = &hydro_ideal_gas;
  decltype(&hydro_viscosity) viscosity = &hydro_viscosity;
  decltype(&hydro_time_step) time_step = &hydro_time_step;
  decltype(&hydro_pdv) pdv = &hydro_pdv;
  decltype(&hydro_accelerate) accelerate = &hydro_accelerate;
  decltype(&hydro_fluxes) fluxes = &hydro_fluxes;
  decltype(&hydro_advect_cells_x) advect_cells_x = &hydro_advect_cells_x;
  decltype(&hydro_advect_cells_y) advect_cells_y = &hydro_advect_cells_y;
  decltype(&hydro_advect_momentum_x) advect_momentum_x = &hydro_advect_momentum_x;
  decltype(&hydro_advect_momentum_y) advect_momentum_y = &hydro_advect_momentum_y;
  decltype(&hydro_reset) reset = &hydro_reset;
  decltype(&hydro_summary) summary = &hydro_summary;
};

inline constexpr std::size_t kLoops = 12;

/// The loops' names, in the order of their numbers: the points of the first are Ti1 and Tj1.
inline constexpr std::array<const char *, kLoops> kLoopNames = {
    "ideal gas", "viscosity", "time step",   "PdV",         "acceleration", "fluxes",
    "cells, x",  "cells, y",  "momentum, x", "momentum, y", "reset",        "summary"};

/// What the program passes where nothing is specialized: the square tile of one who has read that
/// loops should be blocked. Of five fields, it fills the first-level cache.
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
             Tile tile = kDefaultTile, First first = First::x);

  /// As long a step as is stable, but at most `most`; returns how long it was.
  double step(double most = 1e30);
  /// Steps until the time is `end`.
  void run_until(double end);
  /// What codes like this print; reads all cells.
  Summary summary();

  [[nodiscard]] double time() const { return time_; }
  [[nodiscard]] const Grid &grid() const { return grid_; }
  [[nodiscard]] const Field &density() const { return density0_; }
  [[nodiscard]] const Field &energy() const { return energy0_; }
  [[nodiscard]] const Field &velocity_x() const { return u0_; }
  [[nodiscard]] const Field &velocity_y() const { return v0_; }

private:
  void update_pressure(const Field &density, const Field &energy);
  double stable_step();
  void move(double dt);
  void advect_x(bool is_first);
  void advect_y(bool is_first);
  /// What the sweeps read and write: the first one goes from level 1 to level 0, the second back.
  struct Levels {
    Field &density, &energy, &u, &v;
    Field &new_density, &new_energy, &new_u, &new_v;
  };
  Levels levels(bool is_first);

  Grid grid_;
  Kernels kernels_;
  Tile tile_;
  bool x_first_;
  double time_ = 0;
  Field density0_, density1_, energy0_, energy1_;
  Field u0_, u1_, v0_, v1_;
  Field pressure_, viscosity_, sound_speed_;
  Field volume_flux_x_, volume_flux_y_, mass_flux_x_, mass_flux_y_;
  std::vector<double> columns_; ///< Four numbers for each column of cells.
};

} // namespace hydro

#endif
