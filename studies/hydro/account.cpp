// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The end of a step, and the totals over the grid.
#include "kernels.h"
#include "tiles.h"

using hydro::Grid;
using hydro::Index;
using hydro::Rows;
using hydro::Tile;

extern "C" SARTOR_HANDLER void hydro_reset(const Grid *grid, Rows rows, Tile tile,
                                           const double *__restrict density1,
                                           const double *__restrict energy1,
                                           const double *__restrict u1, const double *__restrict v1,
                                           double *__restrict density0, double *__restrict energy0,
                                           double *__restrict u0, double *__restrict v0) {
  // There is one more row and column of nodes than of cells; cells have their halo there.
  over_places(nodes(*grid, rows), HYDRO_TILE("11", tile), grid->stride, [=](Index c, Index) {
    density0[c] = density1[c];
    energy0[c] = energy1[c];
    u0[c] = u1[c];
    v0[c] = v1[c];
  });
}

extern "C" SARTOR_HANDLER void
hydro_summary(const Grid *grid, Rows rows, Tile tile, const double *__restrict density,
              const double *__restrict energy, const double *__restrict pressure,
              const double *__restrict u, const double *__restrict v, double *__restrict mass,
              double *__restrict internal, double *__restrict kinetic,
              double *__restrict pressure_sum) {
  const Index up = grid->stride;
  const double volume = grid->dx * grid->dy;
  over_places(cells(*grid, rows), HYDRO_TILE("12", tile), up, [=](Index c, Index i) {
    const auto square = [=](Index n) { return u[n] * u[n] + v[n] * v[n]; };
    const double speed2 =
        0.25 * ((square(c) + square(c + 1 + up)) + (square(c + 1) + square(c + up)));
    const double cell_mass = volume * density[c];
    mass[i] += cell_mass;
    internal[i] += cell_mass * energy[c];
    kinetic[i] += 0.5 * cell_mass * speed2;
    pressure_sum[i] += volume * pressure[c];
  });
}
