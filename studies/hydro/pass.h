// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_PASS_H
#define HYDRO_PASS_H

#include <cstdint>

#include "kernels.h"

/// \file One iteration, as a sequence of whole loops or as one traversal of the grid.

namespace hydro {
struct Pass;
}

/// Runs all loops but the summary. Each number of the plan is a specialization point: `band`,
/// `store`, and so on.
extern "C" void hydro_pass(hydro::Pass *pass);

namespace hydro {

/// Pointers to the loops: native code, or entries of specialized handlers (sartor.h).
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

/// Density, energy and velocities. Pointers point to element (0, 0).
struct Level {
  double *density;
  double *energy;
  double *u;
  double *v;
};

/// The quantities that pass through faces.
struct Fluxes {
  double *volume_x;
  double *volume_y;
  double *mass_x;
  double *mass_y;
};

/// Intermediate fields of one iteration, of a few rows each that are reused cyclically: cells after
/// their movement, after the first sweep, and the fluxes. The new state can then replace the old
/// one in place.
struct Between {
  Level moved;
  Level half_mapped;
  Fluxes fluxes;
};

/// How the state at the end of an iteration becomes the beginning of the next.
enum class Store : std::uint8_t {
  copied,    ///< Copied from level 1 to level 0, as in CloverLeaf.
  exchanged, ///< Left at level 1; the levels are exchanged.
  in_place,  ///< Written to level 0 directly; intermediate fields are windows, see Between.
};

/// How an iteration traverses loops and grid. Its results do not depend on the plan.
struct Plan {
  Index band = 0;              ///< Number of rows that go through all loops together; 0: all rows.
  Store store = Store::copied; ///< In place with bands of up to kHighestBand; otherwise exchanged.
  bool predict = false;        ///< Fuse PdV for half a step and the ideal gas.
  bool correct = false;        ///< Fuse PdV and the fluxes.
  bool time_step = false;      ///< Fuse the speed of sound, the viscosity and the time step.
  bool ahead = false; ///< Prefetch the next band's state while the current one is processed.
};

/// Arguments of one iteration: from the state at level 0, its pressure and its viscosity to the
/// next state.
struct Pass {
  const Grid *grid;
  const Kernels *kernels;
  Plan plan;
  Tile tile;    ///< The tile size of each loop.
  double dt;    ///< The length of the step.
  bool x_first; ///< True if the x sweep comes first.
  Level level0;
  Level level1;
  Fluxes fluxes;
  Between window; ///< Fields of kWindow rows.
  double *pressure;
  double *sound_speed;
  double *viscosity;
  double *columns;   ///< Output, for the new state; see hydro_time_step().
  bool is_exchanged; ///< Output: whether the new state is at level 1.
};

/// Number of rows in a window field, and the largest band that fits: loops follow each other at
/// some distance and read a few rows around theirs.
inline constexpr Index kWindow = 64;
inline constexpr Index kHighestBand = 32;

} // namespace hydro

#endif
