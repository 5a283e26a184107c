// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Fusions of neighbouring loops: results of the first that only the second reads are never
/// stored.
#include "kernels.h"
#include "lagrange.h"
#include "stream.h"
#include "tiles.h"

using hydro::Grid;
using hydro::Growth;
using hydro::Index;
using hydro::Passage;
using hydro::Rows;
using hydro::Sides;

extern "C" SARTOR_HANDLER void
hydro_predict(const Grid *grid, Rows rows, double dt, const double *__restrict density,
              const double *__restrict energy, const double *__restrict viscosity,
              const double *__restrict u, const double *__restrict v, double *__restrict pressure) {
  const Index up = grid->stride;
  const double volume = grid->dx * grid->dy;
  const Passage passage(*grid, dt);
  over_rows(cells(*grid, rows), up, [=](Index c, Index) {
    const Growth cell(volume, {passage.left(u, u, c, up), passage.left(u, u, c + 1, up),
                               passage.bottom(v, v, c), passage.bottom(v, v, c + up)});
    pressure[c] = hydro::pressure_of(cell.density(density[c]),
                                     cell.energy(energy[c], density[c], pressure[c], viscosity[c]));
  });
}

extern "C" SARTOR_HANDLER void
hydro_correct(const Grid *grid, Rows rows, double dt, const double *__restrict density0,
              const double *__restrict energy0, const double *__restrict pressure,
              const double *__restrict viscosity, const double *__restrict u0,
              const double *__restrict u1, const double *__restrict v0, const double *__restrict v1,
              double *__restrict density1, double *__restrict energy1,
              double *__restrict volume_flux_x, double *__restrict volume_flux_y) {
  const Index up = grid->stride;
  const double volume = grid->dx * grid->dy;
  const Passage passage(*grid, dt);
  const bool streams = HYDRO_STREAM();
  const hydro::Tile pieces{hydro::kWidestRow, rows.end - rows.begin};
  hydro::Row row_density;
  hydro::Row row_energy;
  hydro::Row row_x;
  hydro::Row row_y;
  over_pieces(cells(*grid, rows), pieces, up, [&](Index first, Index count) HYDRO_INLINE {
    double *const to_density = row_density.begin(density1 + first, streams);
    double *const to_energy = row_energy.begin(energy1 + first, streams);
    double *const to_x = row_x.begin(volume_flux_x + first, streams);
    double *const to_y = row_y.begin(volume_flux_y + first, streams);
    for (Index k = 0; k < count; ++k) {
      const Index c = first + k;
      const Sides volumes{passage.left(u0, u1, c, up), passage.left(u0, u1, c + 1, up),
                          passage.bottom(v0, v1, c), passage.bottom(v0, v1, c + up)};
      const Growth cell(volume, volumes);
      to_density[k] = cell.density(density0[c]);
      to_energy[k] = cell.energy(energy0[c], density0[c], pressure[c], viscosity[c]);
      to_x[k] = volumes.left;
      to_y[k] = volumes.bottom;
    }
    row_density.end(density1 + first, count, streams);
    row_energy.end(energy1 + first, count, streams);
    row_x.end(volume_flux_x + first, count, streams);
    row_y.end(volume_flux_y + first, count, streams);
  });
}

extern "C" SARTOR_HANDLER void hydro_pressure(const Grid *grid, Rows rows,
                                              const double *__restrict density,
                                              const double *__restrict energy,
                                              double *__restrict pressure) {
  over_rows(cells(*grid, rows), grid->stride,
            [=](Index c, Index) { pressure[c] = hydro::pressure_of(density[c], energy[c]); });
}

extern "C" SARTOR_HANDLER void
hydro_viscous_step(const Grid *grid, Rows rows, const double *__restrict density,
                   const double *__restrict energy, const double *__restrict pressure,
                   const double *__restrict u, const double *__restrict v,
                   double *__restrict viscosity, double *__restrict columns) {
  const Index up = grid->stride;
  const double dx = HYDRO_SIDE(grid->dx);
  const double dy = HYDRO_SIDE(grid->dy);
  over_rows(cells(*grid, rows), up, [=](Index c, Index i) {
    const double q = hydro::viscosity_at(density, pressure, u, v, c, up, dx, dy);
    viscosity[c] = q;
    columns[i] = std::max(columns[i], hydro::rate_at(density[c], hydro::sound_speed_of(energy[c]),
                                                     q, hydro::sides(u, v, c, up), dx, dy));
  });
}
