// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_KERNELS_H
#define HYDRO_KERNELS_H

#include "grid.h"

/// \file
/// The twelve loops. Each goes over some rows of the grid, tile by tile, and writes nothing that it
/// reads elsewhere, so that results depend neither on the size of its tiles nor on how many rows it
/// is given at a time. Pointers are to (0, 0). Level 0 is the beginning of a step, level 1 its end;
/// README.md has the equations.

namespace hydro {

/// Cells of a tile, in x and y.
struct Tile {
  Index i;
  Index j;
};

/// Rows of cells or nodes, from `begin` on, before `end`.
struct Rows {
  Index begin;
  Index end;
};

} // namespace hydro

extern "C" {

/// Pressure and the speed of sound.
void hydro_ideal_gas(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                     const double *density, const double *energy, double *pressure,
                     double *sound_speed);

/// The artificial viscosity's pressure.
void hydro_viscosity(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                     const double *density, const double *pressure, const double *velocity_x,
                     const double *velocity_y, double *viscosity);

/// How fast each column of cells changes, in 1 / time: `columns` (grid->nx numbers) become the
/// greatest of what they are and what is found. The step may be as long as the inverse.
void hydro_time_step(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                     const double *density, const double *sound_speed, const double *viscosity,
                     const double *velocity_x, const double *velocity_y, double *columns);

/// Work of the pressure while cells move for `dt` with the mean of both velocities: density and
/// energy at level 1 from those at level 0.
void hydro_pdv(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile, double dt,
               const double *density0, const double *energy0, const double *pressure,
               const double *viscosity, const double *velocity_x0, const double *velocity_x1,
               const double *velocity_y0, const double *velocity_y1, double *density1,
               double *energy1);

/// Velocities at level 1.
void hydro_accelerate(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile, double dt,
                      const double *density, const double *pressure, const double *viscosity,
                      const double *velocity_x0, const double *velocity_y0, double *velocity_x1,
                      double *velocity_y1);

/// The volumes that pass through faces.
void hydro_fluxes(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile, double dt,
                  const double *velocity_x0, const double *velocity_x1, const double *velocity_y0,
                  const double *velocity_y1, double *volume_flux_x, double *volume_flux_y);

/// Moves mass and energy back to the grid, in one direction. `is_first`: the other direction's
/// volumes have not been moved yet.
void hydro_advect_cells_x(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                          bool is_first, const double *volume_flux_x, const double *volume_flux_y,
                          const double *density, const double *energy, double *new_density,
                          double *new_energy, double *mass_flux_x);
void hydro_advect_cells_y(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                          bool is_first, const double *volume_flux_x, const double *volume_flux_y,
                          const double *density, const double *energy, double *new_density,
                          double *new_energy, double *mass_flux_y);

/// The same for momentum, after the cells of that direction. `density` is what those made.
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

/// Loops that are two or three of the above in one.
/// PdV without new velocities, and the ideal gas: the pressure becomes that after `dt`.
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

/// What was level 1 becomes level 0 of the next step.
void hydro_reset(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                 const double *density1, const double *energy1, const double *velocity_x1,
                 const double *velocity_y1, double *density0, double *energy0, double *velocity_x0,
                 double *velocity_y0);

/// Adds to each of `mass`, `internal`, `kinetic` and `pressure_sum` (grid->nx numbers) the sums
/// over a column of cells.
void hydro_summary(const hydro::Grid *grid, hydro::Rows rows, hydro::Tile tile,
                   const double *density, const double *energy, const double *pressure,
                   const double *velocity_x, const double *velocity_y, double *mass,
                   double *internal, double *kinetic, double *pressure_sum);
}

#endif
