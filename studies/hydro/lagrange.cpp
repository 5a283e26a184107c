// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The Lagrangian half of a step: cells move with the flow.
#include <cmath>

#include "gas.h"
#include "kernels.h"
#include "tiles.h"

using hydro::Grid;
using hydro::Index;
using hydro::Tile;

namespace {

/// Four numbers around a node or a cell, summed so that neither mirroring nor exchanging the axes
/// changes the sum's last bit.
double sum4(double low_left, double low_right, double high_left, double high_right) {
  return (low_left + high_right) + (low_right + high_left);
}

/// The mean over the left (or lower) side of a cell.
double side(const double *v, Index c, Index along) { return 0.5 * (v[c] + v[c + along]); }

} // namespace

extern "C" SARTOR_HANDLER void hydro_ideal_gas(const Grid *grid, Tile tile,
                                               const double *__restrict density,
                                               const double *__restrict energy,
                                               double *__restrict pressure,
                                               double *__restrict sound_speed) {
  over_places(cells(*grid), HYDRO_TILE("1", tile), grid->stride, [=](Index c, Index) {
    pressure[c] = (hydro::kGamma - 1) * density[c] * energy[c];
    sound_speed[c] = std::sqrt(hydro::kGamma * (hydro::kGamma - 1) * energy[c]);
  });
}

extern "C" SARTOR_HANDLER void
hydro_viscosity(const Grid *grid, Tile tile, const double *__restrict density,
                const double *__restrict pressure, const double *__restrict u,
                const double *__restrict v, double *__restrict viscosity) {
  const Index up = grid->stride;
  const double dx = grid->dx;
  const double dy = grid->dy;
  over_places(cells(*grid), HYDRO_TILE("2", tile), up, [=](Index c, Index) {
    const double u_x = (side(u, c + 1, up) - side(u, c, up)) / dx;
    const double v_y = (side(v, c + up, 1) - side(v, c, 1)) / dy;
    const double shear =
        (side(u, c + up, 1) - side(u, c, 1)) / dy + (side(v, c + 1, up) - side(v, c, up)) / dx;
    const double p_x = (pressure[c + 1] - pressure[c - 1]) / (2 * dx);
    const double p_y = (pressure[c + up] - pressure[c - up]) / (2 * dy);
    const double slope2 = std::max(p_x * p_x + p_y * p_y, hydro::kTiny);
    // How fast, and along what length, the cell is compressed in the direction of the pressure's
    // gradient.
    const double rate = ((u_x * (p_x * p_x) + v_y * (p_y * p_y)) + shear * (p_x * p_y)) / slope2;
    const double length2 = slope2 * std::min(dx * dx / std::max(p_x * p_x, hydro::kTiny),
                                             dy * dy / std::max(p_y * p_y, hydro::kTiny));
    const double q = hydro::kViscosity * density[c] * length2 * (rate * rate);
    viscosity[c] = std::max(rate, u_x + v_y) < 0 ? q : 0;
  });
}

extern "C" SARTOR_HANDLER void
hydro_time_step(const Grid *grid, Tile tile, const double *__restrict density,
                const double *__restrict sound_speed, const double *__restrict viscosity,
                const double *__restrict u, const double *__restrict v,
                double *__restrict columns) {
  const Index up = grid->stride;
  const double dx = grid->dx;
  const double dy = grid->dy;
  const double shortest = std::min(dx, dy);
  over_places(cells(*grid), HYDRO_TILE("3", tile), up, [=](Index c, Index i) {
    const double left = side(u, c, up);
    const double right = side(u, c + 1, up);
    const double bottom = side(v, c, 1);
    const double top = side(v, c + up, 1);
    const double sound = std::sqrt(sound_speed[c] * sound_speed[c] + 2 * viscosity[c] / density[c]);
    const double by_sound = sound / (hydro::kCourant * shortest);
    const double by_flow =
        std::max(std::max(std::fabs(left), std::fabs(right)) / (hydro::kMostFlow * dx),
                 std::max(std::fabs(bottom), std::fabs(top)) / (hydro::kMostFlow * dy));
    const double by_compression =
        -((right - left) / dx + (top - bottom) / dy) / hydro::kMostCompression;
    const double rate = std::max(std::max(by_sound, by_flow), by_compression);
    columns[i] = std::max(columns[i], rate);
  });
}

extern "C" SARTOR_HANDLER void
hydro_pdv(const Grid *grid, Tile tile, double dt, const double *__restrict density0,
          const double *__restrict energy0, const double *__restrict pressure,
          const double *__restrict viscosity, const double *__restrict u0,
          const double *__restrict u1, const double *__restrict v0, const double *__restrict v1,
          double *__restrict density1, double *__restrict energy1) {
  const Index up = grid->stride;
  const double volume = grid->dx * grid->dy;
  const double x_area = 0.5 * dt * grid->dy;
  const double y_area = 0.5 * dt * grid->dx;
  over_places(cells(*grid), HYDRO_TILE("4", tile), up, [=](Index c, Index) {
    const double left = x_area * (side(u0, c, up) + side(u1, c, up));
    const double right = x_area * (side(u0, c + 1, up) + side(u1, c + 1, up));
    const double bottom = y_area * (side(v0, c, 1) + side(v1, c, 1));
    const double top = y_area * (side(v0, c + up, 1) + side(v1, c + up, 1));
    const double growth = (right - left) + (top - bottom);
    density1[c] = density0[c] * (volume / (volume + growth));
    energy1[c] = energy0[c] - (pressure[c] + viscosity[c]) / density0[c] * (growth / volume);
  });
}

extern "C" SARTOR_HANDLER void
hydro_accelerate(const Grid *grid, Tile tile, double dt, const double *__restrict density,
                 const double *__restrict pressure, const double *__restrict viscosity,
                 const double *__restrict u0, const double *__restrict v0, double *__restrict u1,
                 double *__restrict v1) {
  const Index up = grid->stride;
  const double x_area = 0.5 * dt * grid->dy;
  const double y_area = 0.5 * dt * grid->dx;
  const double volume = grid->dx * grid->dy;
  over_places(nodes(*grid), HYDRO_TILE("5", tile), up, [=](Index c, Index) {
    const double mass =
        0.25 * volume * sum4(density[c - 1 - up], density[c - up], density[c - 1], density[c]);
    const double low_left = pressure[c - 1 - up] + viscosity[c - 1 - up];
    const double low_right = pressure[c - up] + viscosity[c - up];
    const double high_left = pressure[c - 1] + viscosity[c - 1];
    const double high_right = pressure[c] + viscosity[c];
    u1[c] = u0[c] - x_area * ((high_right - high_left) + (low_right - low_left)) / mass;
    v1[c] = v0[c] - y_area * ((high_right - low_right) + (high_left - low_left)) / mass;
  });
}

extern "C" SARTOR_HANDLER void
hydro_fluxes(const Grid *grid, Tile tile, double dt, const double *__restrict u0,
             const double *__restrict u1, const double *__restrict v0, const double *__restrict v1,
             double *__restrict volume_flux_x, double *__restrict volume_flux_y) {
  const Index up = grid->stride;
  const double x_area = 0.5 * dt * grid->dy;
  const double y_area = 0.5 * dt * grid->dx;
  // Each cell's left and lower face; those beyond the last cells are walls, through which nothing
  // passes.
  over_places(cells(*grid), HYDRO_TILE("6", tile), up, [=](Index c, Index) {
    volume_flux_x[c] = x_area * (side(u0, c, up) + side(u1, c, up));
    volume_flux_y[c] = y_area * (side(v0, c, 1) + side(v1, c, 1));
  });
}
