// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The Lagrangian half of a step: cells move with the flow.
#include "lagrange.h"
#include "kernels.h"
#include "stream.h"
#include "tiles.h"

using hydro::Grid;
using hydro::Growth;
using hydro::Index;
using hydro::Passage;
using hydro::Rows;
using hydro::Tile;

extern "C" SARTOR_HANDLER void hydro_ideal_gas(const Grid *grid, Rows rows, Tile tile,
                                               const double *__restrict density,
                                               const double *__restrict energy,
                                               double *__restrict pressure,
                                               double *__restrict sound_speed) {
  over_places(cells(*grid, rows), HYDRO_TILE("1", tile), grid->stride, [=](Index c, Index) {
    pressure[c] = hydro::pressure_of(density[c], energy[c]);
    sound_speed[c] = hydro::sound_speed_of(energy[c]);
  });
}

extern "C" SARTOR_HANDLER void
hydro_viscosity(const Grid *grid, Rows rows, Tile tile, const double *__restrict density,
                const double *__restrict pressure, const double *__restrict u,
                const double *__restrict v, double *__restrict viscosity) {
  const Index up = grid->stride;
  const double dx = HYDRO_SIDE(grid->dx);
  const double dy = HYDRO_SIDE(grid->dy);
  over_places(cells(*grid, rows), HYDRO_TILE("2", tile), up, [=](Index c, Index) {
    viscosity[c] = hydro::viscosity_at(density, pressure, u, v, c, up, dx, dy);
  });
}

extern "C" SARTOR_HANDLER void
hydro_time_step(const Grid *grid, Rows rows, Tile tile, const double *__restrict density,
                const double *__restrict sound_speed, const double *__restrict viscosity,
                const double *__restrict u, const double *__restrict v,
                double *__restrict columns) {
  const Index up = grid->stride;
  const double dx = HYDRO_SIDE(grid->dx);
  const double dy = HYDRO_SIDE(grid->dy);
  over_places(cells(*grid, rows), HYDRO_TILE("3", tile), up, [=](Index c, Index i) {
    columns[i] = std::max(columns[i], hydro::rate_at(density[c], sound_speed[c], viscosity[c],
                                                     hydro::sides(u, v, c, up), dx, dy));
  });
}

extern "C" SARTOR_HANDLER void
hydro_pdv(const Grid *grid, Rows rows, Tile tile, double dt, const double *__restrict density0,
          const double *__restrict energy0, const double *__restrict pressure,
          const double *__restrict viscosity, const double *__restrict u0,
          const double *__restrict u1, const double *__restrict v0, const double *__restrict v1,
          double *__restrict density1, double *__restrict energy1) {
  const Index up = grid->stride;
  const double volume = grid->dx * grid->dy;
  const Passage passage(*grid, dt);
  over_places(cells(*grid, rows), HYDRO_TILE("4", tile), up, [=](Index c, Index) {
    const Growth cell(volume, {passage.left(u0, u1, c, up), passage.left(u0, u1, c + 1, up),
                               passage.bottom(v0, v1, c), passage.bottom(v0, v1, c + up)});
    density1[c] = cell.density(density0[c]);
    energy1[c] = cell.energy(energy0[c], density0[c], pressure[c], viscosity[c]);
  });
}

extern "C" SARTOR_HANDLER void
hydro_accelerate(const Grid *grid, Rows rows, Tile tile, double dt,
                 const double *__restrict density, const double *__restrict pressure,
                 const double *__restrict viscosity, const double *__restrict u0,
                 const double *__restrict v0, double *__restrict u1, double *__restrict v1) {
  const Index up = grid->stride;
  const double x_area = 0.5 * dt * grid->dy;
  const double y_area = 0.5 * dt * grid->dx;
  const double volume = grid->dx * grid->dy;
  const bool streams = HYDRO_STREAM();
  Tile size = HYDRO_TILE("5", tile);
  size.i = std::min(size.i, hydro::kWidestRow);
  hydro::Row row_u;
  hydro::Row row_v;
  over_pieces(nodes(*grid, rows), size, up, [&](Index first, Index count) HYDRO_INLINE {
    double *const to_u = row_u.begin(u1 + first, streams);
    double *const to_v = row_v.begin(v1 + first, streams);
    for (Index k = 0; k < count; ++k) {
      const Index c = first + k;
      const double mass =
          0.25 * volume *
          hydro::sum4(density[c - 1 - up], density[c - up], density[c - 1], density[c]);
      const double low_left = pressure[c - 1 - up] + viscosity[c - 1 - up];
      const double low_right = pressure[c - up] + viscosity[c - up];
      const double high_left = pressure[c - 1] + viscosity[c - 1];
      const double high_right = pressure[c] + viscosity[c];
      to_u[k] = u0[c] - x_area * ((high_right - high_left) + (low_right - low_left)) / mass;
      to_v[k] = v0[c] - y_area * ((high_right - low_right) + (high_left - low_left)) / mass;
    }
    row_u.end(u1 + first, count, streams);
    row_v.end(v1 + first, count, streams);
  });
}

extern "C" SARTOR_HANDLER void
hydro_fluxes(const Grid *grid, Rows rows, Tile tile, double dt, const double *__restrict u0,
             const double *__restrict u1, const double *__restrict v0, const double *__restrict v1,
             double *__restrict volume_flux_x, double *__restrict volume_flux_y) {
  const Index up = grid->stride;
  const Passage passage(*grid, dt);
  // Handles each cell's left and lower face; those beyond the last cells are walls, which nothing
  // passes.
  over_places(cells(*grid, rows), HYDRO_TILE("6", tile), up, [=](Index c, Index) {
    volume_flux_x[c] = passage.left(u0, u1, c, up);
    volume_flux_y[c] = passage.bottom(v0, v1, c);
  });
}
