// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_KERNELS_H
#define HYDRO_KERNELS_H

#include "grid.h"

/// \file The twelve loops. Each processes some rows of the grid, tile by tile, and writes nothing
/// that it reads elsewhere, so results depend neither on the tile size nor on how many rows a call
/// gets. Pointers point to element (0, 0). Level 0 is the beginning of a step, level 1 its end;
/// README.md has the equations.

namespace hydro {

/// Size of a tile in cells, in x and y.
struct Tile {
  Index i;
  Index j;
};

/// Rows of cells or nodes in [begin, end).
struct Rows {
  Index begin;
  Index end;
};

} // namespace hydro

extern "C" {

/// Computes pressure and the speed of sound.
void hydro_ideal_gas(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                     const double *density, const double *energy, double *pressure,
                     double *sound_speed);

/// Computes the artificial viscosity's pressure.
void hydro_viscosity(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                     const double *density, const double *pressure, const double *velocity_x,
                     const double *velocity_y, double *viscosity);

/// Computes how fast each column of cells changes, in 1 / time: raises `columns` (grid->nx
/// elements) to the values found. The largest stable step is the inverse.
void hydro_time_step(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                     const double *density, const double *sound_speed, const double *viscosity,
                     const double *velocity_x, const double *velocity_y, double *columns);

/// Computes the work of the pressure while cells move for `dt` with the mean of both velocities:
/// density and energy at level 1 from those at level 0.
void hydro_pdv(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile, double dt,
               const double *density0, const double *energy0, const double *pressure,
               const double *viscosity, const double *velocity_x0, const double *velocity_x1,
               const double *velocity_y0, const double *velocity_y1, double *density1,
               double *energy1);

/// Computes the velocities at level 1.
void hydro_accelerate(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile, double dt,
                      const double *density, const double *pressure, const double *viscosity,
                      const double *velocity_x0, const double *velocity_y0, double *velocity_x1,
                      double *velocity_y1);

/// Computes the volumes that pass through faces.
void hydro_fluxes(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile, double dt,
                  const double *velocity_x0, const double *velocity_x1, const double *velocity_y0,
                  const double *velocity_y1, double *volume_flux_x, double *volume_flux_y);

/// Moves mass and energy back to the grid in one direction. `is_first`: the other direction has not
/// been swept yet.
void hydro_advect_cells_x(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                          bool is_first, const double *volume_flux_x, const double *volume_flux_y,
                          const double *density, const double *energy, double *new_density,
                          double *new_energy, double *mass_flux_x);
void hydro_advect_cells_y(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                          bool is_first, const double *volume_flux_x, const double *volume_flux_y,
                          const double *density, const double *energy, double *new_density,
                          double *new_energy, double *mass_flux_y);

/// Moves momentum in the same way, after the cells of that direction. `density` is their result.
void hydro_advect_momentum_x(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                             bool is_first, const double *volume_flux_y, const double *mass_flux_x,
                             const double *density, const double *velocity_x,
                             const double *velocity_y, double *new_velocity_x,
                             double *new_velocity_y);
void hydro_advect_momentum_y(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                             bool is_first, const double *volume_flux_x, const double *mass_flux_y,
                             const double *density, const double *velocity_x,
                             const double *velocity_y, double *new_velocity_x,
                             double *new_velocity_y);

/// Fusions of two or three of the loops above. This one: PdV without new velocities and the ideal
/// gas; the pressure becomes that after `dt`.
void hydro_predict(const hydro::Grid *grid, hydro::Rows rows, double dt, const double *density,
                   const double *energy, const double *viscosity, const double *velocity_x,
                   const double *velocity_y, double *pressure);
/// PdV and the volumes that pass through faces.
void hydro_correct(const hydro::Grid *grid, hydro::Rows rows, double dt, const double *density0,
                   const double *energy0, const double *pressure, const double *viscosity,
                   const double *velocity_x0, const double *velocity_x1, const double *velocity_y0,
                   const double *velocity_y1, double *density1, double *energy1,
                   double *volume_flux_x, double *volume_flux_y);
/// The ideal gas without the speed of sound.
void hydro_pressure(const hydro::Grid *grid, hydro::Rows rows, const double *density,
                    const double *energy, double *pressure);
/// The speed of sound, the viscosity and the time step.
void hydro_viscous_step(const hydro::Grid *grid, hydro::Rows rows, const double *density,
                        const double *energy, const double *pressure, const double *velocity_x,
                        const double *velocity_y, double *viscosity, double *columns);

/// Copies level 1 to level 0 for the next step.
void hydro_reset(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                 const double *density1, const double *energy1, const double *velocity_x1,
                 const double *velocity_y1, double *density0, double *energy0, double *velocity_x0,
                 double *velocity_y0);

/// Adds the sums over each column of cells to `mass`, `internal`, `kinetic` and `pressure_sum`
/// (grid->nx elements each).
void hydro_summary(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                   const double *density, const double *energy, const double *pressure,
                   const double *velocity_x, const double *velocity_y, double *mass,
                   double *internal, double *kinetic, double *pressure_sum);
}

#endif
