// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Transport of momentum through the faces of the cells around nodes.
#include <cmath>

#include "advect.h"
#include "kernels.h"
#include "stream.h"
#include "tiles.h"

using hydro::Grid;
using hydro::Index;
using hydro::Rows;
using hydro::Tile;

namespace {

/// One direction: `along` is the distance to the next node in it, `across` that in the other.
struct Sweep {
  Index along;
  Index across;
  double volume;
  double others; ///< 1 if the other direction has not been swept yet, else 0.
  const double *flux_across;
  const double *mass_flux;
  const double *density;

  [[nodiscard]] double mass_of_cell(Index c) const {
    return density[c] * (volume + others * (flux_across[c + across] - flux_across[c]));
  }
  /// A node's mass after the sweep: a quarter of each of the cells around it.
  [[nodiscard]] double mass_after(Index c) const {
    return 0.25 * ((mass_of_cell(c) + mass_of_cell(c - along - across)) +
                   (mass_of_cell(c - along) + mass_of_cell(c - across)));
  }
  /// The mass that moves from node c to node c + along.
  [[nodiscard]] double flux(Index c) const {
    return 0.25 * ((mass_flux[c] + mass_flux[c + along]) +
                   (mass_flux[c - across] + mass_flux[c + along - across]));
  }
  /// The momentum that moves with the mass; `before` are the masses of both nodes before the sweep.
  [[nodiscard]] double momentum(Index c, double mass, double before, double next_before,
                                const double *velocity) const {
    const bool rightwards = mass > 0;
    const double sigma = std::fabs(mass) / (rightwards ? before : next_before);
    return mass * hydro::around(velocity, c + along, along).carried_by(sigma, rightwards);
  }
};

} // namespace

extern "C" SARTOR_HANDLER void
hydro_advect_momentum_x(const Grid *grid, Rows rows, Tile tile, bool is_first,
                        const double *__restrict volume_flux_y,
                        const double *__restrict mass_flux_x, const double *__restrict density,
                        const double *__restrict u, const double *__restrict v,
                        double *__restrict new_u, double *__restrict new_v) {
  const Index up = grid->stride;
  const Sweep sweep{1,           up,     grid->dx * grid->dy, is_first ? 1.0 : 0.0, volume_flux_y,
                    mass_flux_x, density};
  Tile size = HYDRO_TILE("9", tile);
  size.i = std::min(size.i, hydro::kWidestRow);
  // Intermediate results for the tile's nodes and the neighbours that they read.
  double flux[hydro::kWidestRow + 3];   // starts at the second node on the left
  double before[hydro::kWidestRow + 2]; // starts at the first node on the left
  double after[hydro::kWidestRow + 2];
  double with_u[hydro::kWidestRow + 1];
  double with_v[hydro::kWidestRow + 1];
  const bool streams = HYDRO_STREAM();
  hydro::Row row_u;
  hydro::Row row_v;
  over_pieces(nodes(*grid, rows), size, up, [&](Index c, Index count) HYDRO_INLINE {
    double *const to_u = row_u.begin(new_u + c, streams);
    double *const to_v = row_v.begin(new_v + c, streams);
    for (Index k = 0; k < count + 3; ++k)
      flux[k] = sweep.flux(c + k - 2);
    for (Index k = 0; k < count + 2; ++k) {
      after[k] = sweep.mass_after(c + k - 1);
      before[k] = after[k] + flux[k + 1] - flux[k];
    }
    for (Index k = 0; k < count + 1; ++k) {
      const Index n = c + k - 1;
      with_u[k] = sweep.momentum(n, flux[k + 1], before[k], before[k + 1], u);
      with_v[k] = sweep.momentum(n, flux[k + 1], before[k], before[k + 1], v);
    }
    for (Index k = 0; k < count; ++k) {
      to_u[k] = (u[c + k] * before[k + 1] + with_u[k] - with_u[k + 1]) / after[k + 1];
      to_v[k] = (v[c + k] * before[k + 1] + with_v[k] - with_v[k + 1]) / after[k + 1];
    }
    row_u.end(new_u + c, count, streams);
    row_v.end(new_v + c, count, streams);
  });
}

extern "C" SARTOR_HANDLER void
hydro_advect_momentum_y(const Grid *grid, Rows rows, Tile tile, bool is_first,
                        const double *__restrict volume_flux_x,
                        const double *__restrict mass_flux_y, const double *__restrict density,
                        const double *__restrict u, const double *__restrict v,
                        double *__restrict new_u, double *__restrict new_v) {
  const Index up = grid->stride;
  const Sweep sweep{up,          1,      grid->dx * grid->dy, is_first ? 1.0 : 0.0, volume_flux_x,
                    mass_flux_y, density};
  Tile size = HYDRO_TILE("10", tile);
  size.i = std::min(size.i, hydro::kWidestRow);
  // Intermediate results that each column carries over from the row before.
  double flux[hydro::kWidestRow];
  double before[hydro::kWidestRow];
  double after[hydro::kWidestRow];
  double with_u[hydro::kWidestRow];
  double with_v[hydro::kWidestRow];
  const bool streams = HYDRO_STREAM();
  hydro::Row row_u;
  hydro::Row row_v;
  over_tiles(
      nodes(*grid, rows), size, [&](Index i, Index j, Index count, Index height) HYDRO_INLINE {
        for (Index k = 0; k < count; ++k) {
          const Index below = (j - 1) * up + i + k;
          const Index c = below + up;
          const double below_flux = sweep.flux(below);
          const double below_before = sweep.mass_after(below) + below_flux - sweep.flux(below - up);
          flux[k] = sweep.flux(c);
          after[k] = sweep.mass_after(c);
          before[k] = after[k] + flux[k] - below_flux;
          with_u[k] = sweep.momentum(below, below_flux, below_before, before[k], u);
          with_v[k] = sweep.momentum(below, below_flux, below_before, before[k], v);
        }
        for (Index row = 0; row < height; ++row) {
          const Index first = (j + row) * up + i;
          double *const to_u = row_u.begin(new_u + first, streams);
          double *const to_v = row_v.begin(new_v + first, streams);
          for (Index k = 0; k < count; ++k) {
            const Index c = first + k;
            const double next_flux = sweep.flux(c + up);
            const double next_after = sweep.mass_after(c + up);
            const double next_before = next_after + next_flux - flux[k];
            const double out_u = sweep.momentum(c, flux[k], before[k], next_before, u);
            const double out_v = sweep.momentum(c, flux[k], before[k], next_before, v);
            to_u[k] = (u[c] * before[k] + with_u[k] - out_u) / after[k];
            to_v[k] = (v[c] * before[k] + with_v[k] - out_v) / after[k];
            flux[k] = next_flux;
            before[k] = next_before;
            after[k] = next_after;
            with_u[k] = out_u;
            with_v[k] = out_v;
          }
          row_u.end(new_u + first, count, streams);
          row_v.end(new_v + first, count, streams);
        }
      });
}
