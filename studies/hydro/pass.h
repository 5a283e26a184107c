// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_PASS_H
#define HYDRO_PASS_H

#include <cstdint>

#include "kernels.h"

/// \file
/// One iteration, as a pass through the loops or as a pass through the grid.

namespace hydro {
struct Pass;
}

/// All loops but the summary. Each number of the plan is a point: `band`, `store`, and so on.
extern "C" void hydro_pass(hydro::Pass *pass);

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
  decltype(&hydro_pass) pass = &hydro_pass;
  decltype(&hydro_predict) predict = &hydro_predict;
  decltype(&hydro_correct) correct = &hydro_correct;
  decltype(&hydro_pressure) pressure = &hydro_pressure;
  decltype(&hydro_viscous_step) viscous_step = &hydro_viscous_step;
};

/// Density, energy and velocities. Pointers are to (0, 0).
struct Level {
  double *density;
  double *energy;
  double *u;
  double *v;
};

/// What passes through faces.
struct Fluxes {
  double *volume_x;
  double *volume_y;
  double *mass_x;
  double *mass_y;
};

/// What one iteration makes and uses up, in fields of a few rows that come again and again: cells
/// as they have moved, after the first sweep, and what passes through faces. The new state can then
/// be where the one before was.
struct Between {
  Level moved;
  Level half_mapped;
  Fluxes fluxes;
};

/// What becomes of the state at the end of an iteration, which is to be the beginning of the next.
enum class Store : std::uint8_t {
  copied,    ///< It is copied from level 1 to level 0, as CloverLeaf does.
  exchanged, ///< It stays at level 1; the levels are exchanged.
  in_place,  ///< It is made at level 0, and fields between are windows: see Between.
};

/// How an iteration goes through loops and grid. What it comes to does not depend on it.
struct Plan {
  Index band = 0; ///< So many rows go through all loops, then the next; 0: all at once.
  Store store = Store::copied; ///< In place with bands of up to kHighestBand; else exchanged.
  bool predict = false;        ///< PdV for half a step and the ideal gas in one loop.
  bool correct = false;        ///< PdV and the fluxes in one loop.
  bool time_step = false;      ///< The speed of sound, the viscosity and the time step in one loop.
  bool ahead = false; ///< The next band's state is asked for while one goes through the loops.
};

/// One iteration: from the state at level 0, its pressure and its viscosity to the next.
struct Pass {
  const Grid *grid;
  const Kernels *kernels;
  Plan plan;
  Tile tile;    ///< Of each loop.
  double dt;    ///< How long the step is.
  bool x_first; ///< Which sweep comes first.
  Level level0;
  Level level1;
  Fluxes fluxes;
  Between window; ///< Of kWindow rows.
  double *pressure;
  double *sound_speed;
  double *viscosity;
  double *columns;   ///< See hydro_time_step(); of the new state.
  bool is_exchanged; ///< Is set: whether the new state is at level 1.
};

/// Rows of a field that is a window, and of the highest band that goes through it: loops follow
/// each other at some distance, and read a few rows around theirs.
inline constexpr Index kWindow = 64;
inline constexpr Index kHighestBand = 32;

} // namespace hydro

#endif
